"""What holds of every bridge: wrong answers, and a guard that does not trust the component."""

from __future__ import annotations

import logging
import unittest

from deletegate import Access, Answered, Asks, Field, Page, Principal, Refused, Removed, Row, Stopped, Tools, Totals, User
from deletegate.guard import Ended, Guard
from deletegate.tools import complete

ID = Field("id", "integer")
ACCESS = Access("note", key=[ID], fields=[ID])


class Notes:
    """Notes 1 to 3; ``over`` replaces functions."""

    def __init__(self, **over) -> None:
        self.left, self.over = [1, 2, 3], over

    def resolve_principal(self, object):
        return Principal(User("ana"), ACCESS if object == "note" else None)

    def query(self, object, selection, after, limit):
        ids = [id for (id,) in selection.ids] if hasattr(selection, "ids") else self.left
        return Page([Row((n,)) for n in self.left if n in ids])

    def aggregate(self, object, selection):
        return Totals(len(self.left), dependents=[])

    def remove(self, object, id, revision):
        if "remove" in self.over:
            return self.over["remove"]()
        self.left.remove(id[0])
        return Removed()


def raises(error):
    def work():
        raise error

    return work


class Bridges(unittest.TestCase):
    def setUp(self) -> None:
        logging.disable(logging.CRITICAL)

    def call(self, bridge, **more):
        arguments = {"objectName": "note", "where": {}, "confirm": True, **more}
        return Tools(bridge).call_tool("delete_records", {k: v for k, v in arguments.items() if v is not None})

    def test_nothing_but_a_success_counts_as_deleted(self) -> None:
        async def later():
            return Removed()

        coroutine = later()
        answers = {
            "none": lambda: None, "true": lambda: True, "a word": lambda: "removed", "a dict": lambda: {"tag": "removed"},
            "the class": lambda: Removed, "a coroutine": lambda: coroutine, "a warning that is no text": lambda: Removed(7),
            "an error": raises(ValueError("password=hunter2")), "a refusal without a status": raises(Refused("X", "409", "x")),
            "an odd stop": raises(Stopped("broken")),
        }
        for what, remove in answers.items():
            with self.subTest(what):
                bridge = Notes(remove=remove)
                reply = self.call(bridge)
                self.assertEqual(reply.answer["error"]["code"], "ENGINE_FAULT")
                self.assertEqual(reply.answer["progress"]["deleted"], 0)
                self.assertNotIn("hunter2", reply.json)
                self.assertEqual(bridge.left, [1, 2, 3])
        coroutine.close()

    def test_a_refusal_keeps_its_parts(self) -> None:
        reply = self.call(Notes(remove=raises(Refused("RECORD_LOCKED", 409, "closed", retryable=True))))
        group = {"code": "RECORD_LOCKED", "status": 409, "reason": "closed", "retryable": True, "count": 3}
        self.assertEqual(reply.answer["refusals"], [{**group, "recordIds": ["1", "2", "3"]}])

    def test_readings_that_are_none_are_faults(self) -> None:
        for name, value in [("query", Page([Row((1.5,))])), ("query", None), ("aggregate", Totals(-1)), ("aggregate", 3)]:
            with self.subTest(f"{name} {value}"):
                bridge = Notes()
                setattr(bridge, name, lambda *_: value)
                self.assertEqual(self.call(bridge, confirm=None).answer["error"]["code"], "ENGINE_FAULT")

    def test_a_question_comes_back_with_its_answer(self) -> None:
        bridge = Notes()
        tools = Tools(bridge, {"default_rule": {"consent": "typed"}})
        asks = tools.call_tool("delete_records", '{"objectName":"note","recordIds":[1,2],"confirm":true}')
        self.assertIsInstance(asks, Asks)
        self.assertEqual(asks.typed[0], "note 2")
        wrong = tools.resume(asks.asked, "accept", "note 3")
        self.assertEqual(wrong.answer["error"]["code"], "APPROVAL_MISMATCH")
        done = tools.resume(asks.asked, "accept", "note 2")
        self.assertIsInstance(done, Answered)
        self.assertEqual((done.answer["deleted"], bridge.left), (2, [3]))

    def test_settings_that_can_not_be_used_are_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "none is refused in production"):
            Tools(Notes(), {"default_rule": {"consent": "none"}, "target": {"production": True}})
        with self.assertRaisesRegex(TypeError, "no member 'consent'; they take target"):
            Tools(Notes(), {"consent": "none"})


class Guards(unittest.TestCase):
    def guard(self, arguments='{"objectName":"note","where":{},"confirm":true}', rule=None, approval=None, read=(1, 2, 3)):
        settings = complete({"default_rule": {"cap": 3, **(rule or {})}})
        scopes = ["data:read", "data:write"]
        call = {"name": "delete_records", "arguments": arguments, "scopes": scopes, "approval": approval}
        guard = Guard(settings, call)
        guard.enter("resolve_principal", "note")
        guard.meet("note", Principal(User("ana"), ACCESS))
        guard.enter("query", "note")
        guard.may_read(200)
        guard.read(Page([Row((n,), revision=f"r{n}") for n in read]))
        return guard

    def violates(self, work, what: str) -> None:
        with self.assertRaisesRegex(Ended, what):
            work()

    def remove(self, guard, n, revision=None) -> None:
        guard.enter("remove", "note")
        guard.may_remove((n,), revision or f"r{n}")
        guard.count(Removed())

    def test_what_a_call_allows_passes(self) -> None:
        guard = self.guard()
        for n in (1, 2, 3):
            self.remove(guard, n)
        self.assertEqual(guard.conclude('{"deleted":3}')["deleted"], 3)

    def test_what_a_call_does_not_allow_ends_it(self) -> None:
        self.violates(lambda: self.guard().enter("remove", "other"), "do not name")
        self.violates(lambda: self.remove(self.guard(), 4), "had not read")
        self.violates(lambda: self.remove(self.guard(), 1, "r2"), "another revision")
        self.violates(lambda: self.guard().may_read(1), "cap")
        listed = '{"objectName":"note","recordIds":[1,"2"],"confirm":true}'
        self.violates(lambda: self.remove(self.guard(listed), 3), "outside the ids")
        self.violates(lambda: self.guard().conclude('{"deleted":1}'), "another number")
        twice = self.guard()
        self.remove(twice, 1)
        self.violates(lambda: self.remove(twice, 1), "twice")
        many = self.guard(read=(1, 2, 3, 4))
        for n in (1, 2, 3):
            self.remove(many, n)
        self.violates(lambda: self.remove(many, 4), "cap")

    def test_a_list_of_objects_reads_and_removes_nothing(self) -> None:
        logs = [{"name": "notes", "object": "note", "scope": "id", "time": "id"}]
        settings = complete({"objects": ["note"], "event_logs": logs, "default_rule": {"consent": "none"}})
        for arguments in ("{}", '{"objectName":"note"}', '{"objectName":"note","confirm":true}', '{"log":"notes"}'):
            call = {"name": "list_objects", "arguments": arguments, "scopes": ["data:read", "data:write"], "approval": None}
            for function, object in (("query", "note"), ("aggregate", "note"), ("remove", "note"), ("resolve_principal", "other")):
                guard = Guard(settings, call)
                guard.enter("resolve_principal", "note")
                guard.meet("note", Principal(User("ana"), ACCESS))
                self.violates(lambda: guard.enter(function, object), "do not name")

    def test_nothing_goes_without_consent(self) -> None:
        for arguments in ('{"objectName":"note","where":{}}', '{"objectName":"note","where":{},"confirm":false}'):
            self.violates(lambda: self.remove(self.guard(arguments), 1), "confirm")
        self.violates(lambda: self.remove(self.guard(rule={"consent": "accept"}), 1), "approval")

    def test_an_approval_is_for_the_very_set(self) -> None:
        rule = {"consent": "typed"}
        message = 'Delete all 3 records of "note" ("1", "2", "3") on "local" [dev]? No undo.'
        asked = self.guard(rule=rule).ask(message, ("note 3", 'Type "note 3" to confirm'), "d")
        yes = {"action": "accept", "typed": "note 3", "asked": asked}
        self.remove(self.guard(rule=rule, approval=yes), 1)
        self.violates(lambda: self.remove(self.guard(rule=rule, approval=yes, read=(1, 2)), 1), "other records")
        for member in asked:
            rest = {name: value for name, value in asked.items() if name != member}
            self.violates(lambda: self.remove(self.guard(rule=rule, approval={**yes, "asked": rest}), 1), "other records|typed")
        self.violates(lambda: self.remove(self.guard(rule=rule, approval={**yes, "typed": "note 2"}), 1), "typed")

    def test_a_person_is_shown_only_what_is_true(self) -> None:
        good, rule = 'Delete all 3 records of "note" ("1") on "local" [dev]? No undo.', {"consent": "accept"}
        self.guard(rule=rule).ask(good, None, "d")
        for this, instead in [("3 records", "2 records"), ('"note"', '"other"'), ("Delete", "Keep"), ("No undo.", "\u202e")]:
            self.violates(lambda: self.guard(rule=rule).ask(good.replace(this, instead), None, "d"), "asked a person")


if __name__ == "__main__":
    unittest.main()
