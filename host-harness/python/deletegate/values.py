"""Values as texts, and strict readings of them: numbers, days and instants (contract 4, 5 and 9)."""

from __future__ import annotations

import calendar
import re
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation

from .contract import Instant, RecordId, Scalar

_DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,9})?", re.ASCII)
_DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})", re.ASCII)
_INSTANT = re.compile(r"(.{10})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):(\d{2}))", re.ASCII)
_EPOCH = datetime(1970, 1, 1)


def parse_decimal(text: str) -> Decimal | None:
    """The number that a text of digits stands for."""
    try:
        return Decimal(text) if _DECIMAL.fullmatch(text) else None
    except InvalidOperation:
        return None


def is_date(text: str) -> bool:
    """Whether the text is a day that exists."""
    return _days(text) is not None


def parse_instant(text: str) -> Instant | None:
    """Reads ``YYYY-MM-DDThh:mm:ss[.fraction](Z|±hh:mm)``."""
    found = _INSTANT.fullmatch(text)
    if not found:
        return None
    day, hour, minute, second, fraction, sign, hours, minutes = found.groups()
    days = _days(day)
    hour, minute, second, hours, minutes = (int(part or 0) for part in (hour, minute, second, hours, minutes))
    if days is None or hour > 23 or minute > 59 or second > 59 or hours > 23 or minutes > 59:
        return None
    offset = (hours * 3600 + minutes * 60) * (-1 if sign == "-" else 1)
    return Instant(days * 86400 + hour * 3600 + minute * 60 + second - offset, int((fraction or "").ljust(9, "0")))


def show(value: Scalar) -> str:
    """A value in the form in which ids leave in an answer."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, Instant):
        try:
            moment = _EPOCH + timedelta(seconds=value.seconds)
        except OverflowError:
            return f"{value.seconds}.{value.nanoseconds:09}"
        fraction = f".{value.nanoseconds:09}".rstrip("0") if value.nanoseconds else ""
        return f"{moment.isoformat()}{fraction}Z"
    return str(value)


def identify(id: RecordId) -> tuple:
    """What two ids share only if they are the same: ``True`` is not ``1``, and ``1`` is not ``Decimal(1)``."""
    return tuple((type(value).__name__, value) for value in id)


def _days(text: str) -> int | None:
    found = _DAY.fullmatch(text)
    if not found:
        return None
    year, month, day = (int(part) for part in found.groups())
    if year < 1 or not 1 <= month <= 12 or not 1 <= day <= calendar.monthrange(year, month)[1]:
        return None
    return (datetime(year, month, day) - _EPOCH).days
