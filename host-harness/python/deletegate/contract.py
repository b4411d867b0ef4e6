"""What crosses the bridge, as Python has it: the WIT interface ``deletegate:records/bridge``.

A value is a Python value: ``None``, ``bool``, ``int`` (64 bits), ``Decimal`` (a number that is no such int),
``str`` (also a date and a uuid), or :class:`Instant`. An id is a tuple of them, in the order of the key.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, Protocol, Union

FieldType = Literal[
    "boolean", "integer", "decimal", "float", "text", "uuid", "date", "instant", "text-list", "opaque"
]
Comparison = Literal[
    "equal", "less", "less-or-equal", "greater", "greater-or-equal", "any-of", "contains", "starts-with",
    "ends-with", "contains-ignoring-ascii-case", "contains-all", "is-null",
]
Effect = Literal["cascade", "restrict", "detach"]


@dataclass(frozen=True, order=True)
class Instant:
    """A point in time: whole seconds since 1970-01-01T00:00:00Z, and nanoseconds after them."""

    seconds: int
    nanoseconds: int = 0


Scalar = Union[None, bool, int, Decimal, str, Instant]
RecordId = tuple[Scalar, ...]


@dataclass(frozen=True)
class Field:
    """One field of an object."""

    name: str
    type: FieldType
    nullable: bool = False


@dataclass(frozen=True)
class Access:
    """What the caller may do with one object; ``object`` is the host's own spelling of its name."""

    object: str
    key: list[Field]
    fields: list[Field]
    list: bool = True
    remove: bool = True
    reversible: bool = False


@dataclass(frozen=True)
class User:
    """A user, as the host knows them."""

    id: str
    name: str | None = None


@dataclass(frozen=True)
class Principal:
    """The caller (a user, ``"system"``, or ``"anonymous"``), and what they may do with the object asked about.

    ``access`` is none where the object does not exist or is hidden from this caller: the two look the same.
    """

    identity: User | Literal["system", "anonymous"]
    access: Access | None = None
    narrowing: str | None = None


@dataclass(frozen=True)
class Condition:
    """A field compared with operands. ``negated`` is the WIT case ``unless``: records without a value match too."""

    field: str
    comparison: Comparison
    operands: list[Scalar]
    negated: bool = False


@dataclass(frozen=True)
class Group:
    """Takes the next ``count`` terms; true where all (or, with ``any``, at least one) of them are."""

    count: int
    any: bool = False


@dataclass(frozen=True)
class Every:
    """Every record that the caller can see."""


@dataclass(frozen=True)
class Filter:
    """Those for which the filter, in prefix order, is true."""

    terms: list[Condition | Group]


@dataclass(frozen=True)
class Ids:
    """Those with one of these ids."""

    ids: list[RecordId]


Selection = Union[Every, Filter, Ids]


@dataclass(frozen=True)
class Row:
    """One record, as far as a deletion needs it."""

    id: RecordId
    label: str | None = None
    revision: str | None = None


@dataclass(frozen=True)
class Page:
    """Some of the records selected; ``more`` where others follow."""

    rows: list[Row]
    more: bool = False


@dataclass(frozen=True)
class Dependents:
    """Records of one object that a removal would reach."""

    object: str
    count: int
    effect: Effect


@dataclass(frozen=True)
class Totals:
    """Totals over a selection; ``at_least`` where the engine did not count to the end."""

    count: int
    at_least: bool = False
    dependents: list[Dependents] | None = None


@dataclass(frozen=True)
class Removed:
    """It is gone; ``warning`` where work that follows the removal failed."""

    warning: str | None = None


Removal = Union[Removed, Literal["absent", "kept", "changed"]]


class Refused(Exception):
    """A rule says no: raised by a function of the bridge."""

    def __init__(self, code: str, status: int, reason: str, retryable: bool = False) -> None:
        super().__init__(reason)
        self.code, self.status, self.reason, self.retryable = code, status, reason, retryable


class Stopped(Exception):
    """The call has to stop: ``faulted`` (with a sentence that may be shown), ``cancelled``, ``deadline-exceeded``
    or ``unsupported``."""

    def __init__(
        self, tag: Literal["faulted", "cancelled", "deadline-exceeded", "unsupported"], sentence: str = ""
    ) -> None:
        super().__init__(sentence or tag)
        self.tag, self.sentence = tag, sentence


class Bridge(Protocol):
    """What a host lends to the component, for one caller: four functions over its own engine."""

    def resolve_principal(self, object: str) -> Principal:
        """Who is calling now, and what they may do with this object. Asked anew, never remembered."""

    def query(self, object: str, selection: Selection, after: RecordId | None, limit: int) -> Page:
        """The records selected, as this caller sees them, in one stable order of the key, behind ``after``."""

    def aggregate(self, object: str, selection: Selection) -> Totals:
        """Totals over the same selection."""

    def remove(self, object: str, id: RecordId, revision: str | None) -> Removal:
        """Deletes one record through the engine's one delete path."""
