"""Guarded delete tools for AI agents, over your own engine.

You lend the sealed component four functions (a :class:`Bridge`); it brings the tools' whole behaviour: the preview, the
consent, record by record through your own delete path, refusals grouped. See ``examples/notes.py`` for a whole host.
"""

from .contract import (
    Access, Bridge, Condition, Dependents, Every, Field, Filter, Group, Ids, Instant, Page, Principal,
    Refused, Removed, Row, Stopped, Totals, User,
)
from .tools import Answered, Asks, Plugin, Tools, UnknownTool

__all__ = [
    "Access", "Answered", "Asks", "Bridge", "Condition", "Dependents", "Every", "Field", "Filter", "Group", "Ids",
    "Instant", "Page", "Plugin", "Principal", "Refused", "Removed", "Row", "Stopped", "Tools", "Totals", "UnknownTool",
    "User",
]
