"""Between this package's values and those of ``wasmtime.component``, which names members as the WIT does.

What a host answers is read strictly: a value that is not what the contract says is a :class:`Misshapen`, and never
a success.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Callable, Literal, get_args

from wasmtime.component import Record, Variant

from . import contract as c


class Misshapen(TypeError):
    """An answer that is not what the contract says."""


def record(**members: Any) -> Record:
    """A record; an underscore stands for the hyphen of the WIT."""
    made = Record()
    for name, value in members.items():
        setattr(made, name.rstrip("_").replace("_", "-"), value)
    return made


def _is(value: Any, kind: type, what: str) -> Any:
    # `True` is an int to Python, and to nobody else.
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise Misshapen(f"{what} is a {type(value).__name__}; it must be a {kind.__name__}")
    return value


def _text(value: Any, what: str) -> str:
    _is(value, str, what)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Misshapen(f"{what} has lone surrogates") from None
    return value


def _maybe(value: Any, read: Callable[[Any, str], Any], what: str) -> Any:
    return None if value is None else read(value, what)


def _list(value: Any, read: Callable[[Any, str], Any], what: str) -> list:
    if not isinstance(value, (list, tuple)):
        raise Misshapen(f"{what} is a {type(value).__name__}; it must be a list")
    return [read(item, what) for item in value]


def _whole(value: Any, bits: range, what: str) -> int:
    _is(value, int, what)
    if not bits.start <= value < bits.stop:
        raise Misshapen(f"{what} is {value}; it must be from {bits.start} to {bits.stop - 1}")
    return value


def _one(value: Any, kind: Any, what: str) -> str:
    if value not in get_args(kind):
        raise Misshapen(f"{what} is {value!r}; it must be one of {', '.join(get_args(kind))}")
    return value


_I64 = range(-(2**63), 2**63)
_U64 = range(2**64)


def scalar(value: Any, what: str) -> Variant:
    if value is None:
        return Variant("null")
    if isinstance(value, bool):
        return Variant("boolean", value)
    if isinstance(value, int):
        return Variant("integer", _whole(value, _I64, what))
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise Misshapen(f"{what} is no number")
        return Variant("decimal", format(value, "f"))
    if isinstance(value, str):
        return Variant("text", _text(value, what))
    if isinstance(value, c.Instant):
        seconds = _whole(value.seconds, _I64, what)
        nanoseconds = _whole(value.nanoseconds, range(1_000_000_000), what)
        return Variant("instant", record(seconds=seconds, nanoseconds=nanoseconds))
    raise Misshapen(f"{what} is a {type(value).__name__}; a value is None, bool, int, Decimal, str or Instant")


def principal(value: Any) -> Record:
    _is(value, c.Principal, "the principal")
    who = value.identity
    if isinstance(who, c.User):
        name = _maybe(who.name, _text, "the user's name")
        identity = Variant("user", record(id=_text(who.id, "the user's id"), name=name))
    else:
        identity = Variant(_one(who, Literal["system", "anonymous"], "the identity"))
    narrowing = _maybe(value.narrowing, _text, "narrowing")
    return record(identity=identity, access=_maybe(value.access, _access, "access"), narrowing=narrowing)


def _access(value: Any, what: str) -> Record:
    _is(value, c.Access, what)
    verbs = {verb for verb in ("list", "remove") if _is(getattr(value, verb), bool, f"access.{verb}")}
    return record(
        object=_text(value.object, "access.object"),
        key=_list(value.key, _field, "access.key"),
        fields=_list(value.fields, _field, "access.fields"),
        verbs=verbs,
        reversible=_is(value.reversible, bool, "access.reversible"),
    )


def _field(value: Any, what: str) -> Record:
    _is(value, c.Field, what)
    kind = _one(value.type, c.FieldType, "a field's type")
    return record(name=_text(value.name, "a field's name"), type=kind, nullable=_is(value.nullable, bool, what))


def page(value: Any) -> Record:
    _is(value, c.Page, "the page")
    return record(rows=_list(value.rows, _row, "the rows"), more=_is(value.more, bool, "more"))


def _row(value: Any, what: str) -> Record:
    _is(value, c.Row, what)
    revision = _maybe(value.revision, _text, "a revision")
    return record(id=_list(value.id, scalar, "an id"), label=_maybe(value.label, _text, "a label"), revision=revision)


def totals(value: Any) -> Record:
    _is(value, c.Totals, "the totals")
    kind = "at-least" if _is(value.at_least, bool, "at_least") else "exact"
    count = Variant(kind, _whole(value.count, _U64, "the count"))
    each = _maybe(value.dependents, lambda all, what: _list(all, _dependents, what), "dependents")
    return record(count=count, dependents=each)


def _dependents(value: Any, what: str) -> Record:
    _is(value, c.Dependents, what)
    return record(
        object=_text(value.object, what),
        count=_whole(value.count, _U64, what),
        effect=_one(value.effect, c.Effect, what),
    )


def removal(value: Any) -> Variant:
    if isinstance(value, c.Removed):
        if value.warning is None:
            return Variant("removed")
        return Variant("removed-with-warning", _text(value.warning, "the warning"))
    if isinstance(value, str) and value in ("absent", "kept", "changed"):
        return Variant(value)
    raise Misshapen(f"the removal is {value!r}; it must be a Removed, 'absent', 'kept' or 'changed'")


def failure(error: c.Refused | c.Stopped) -> Variant:
    if isinstance(error, c.Refused):
        status = _whole(error.status, range(2**16), "the status")
        code, reason = _text(error.code, "the code"), _text(error.reason, "the reason")
        retryable = _is(error.retryable, bool, "retryable")
        return Variant("refused", record(code=code, status=status, reason=reason, retryable=retryable))
    if error.tag == "faulted":
        return Variant("faulted", _text(error.sentence, "the sentence"))
    return Variant(_one(error.tag, Literal["cancelled", "deadline-exceeded", "unsupported"], "the tag"))


def read_scalar(value: Variant) -> c.Scalar:
    if value.tag == "decimal":
        return Decimal(value.payload)
    if value.tag == "instant":
        return c.Instant(value.payload.seconds, value.payload.nanoseconds)
    return value.payload


def read_id(values: list | None) -> c.RecordId | None:
    return None if values is None else tuple(read_scalar(value) for value in values)


def read_selection(value: Variant) -> c.Selection:
    if value.tag == "every":
        return c.Every()
    if value.tag == "ids":
        return c.Ids([read_id(one) for one in value.payload])
    return c.Filter([_read_term(term) for term in value.payload])


def _read_term(term: Variant) -> c.Condition | c.Group:
    if term.tag in ("all-of", "one-of"):
        return c.Group(term.payload, any=term.tag == "one-of")
    operands = [read_scalar(one) for one in term.payload.operands]
    return c.Condition(term.payload.field, term.payload.comparison, operands, negated=term.tag == "unless")
