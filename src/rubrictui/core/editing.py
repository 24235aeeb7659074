"""Edits of a draft: every one a pure function from a snapshot to a snapshot (guide section 2, task 1).

A draft is a ``VersionSnapshot`` whose nodes stand in walk order, and stays one whatever is done to it here: keys
are unique and not empty, parents exist and stand before their children, nothing stands under a criterion, the
sequences of siblings rise, numbers are finite. That is what a store can hold. An edit that would break it is
refused with an ``EditError``; all else (a negative weight, a gate without a minimum, a leaf without a scale)
is allowed and listed by ``authoring.publish_problems``.

An edit keeps every node it does not change as the same object, so whoever draws, checks or scores a draft can
tell by identity what to do again.
"""

from __future__ import annotations

from rubrictui.core.editing_base import Edited, EditError, propose_key
from rubrictui.core.editing_clip import Clip, copy_subtree, paste, with_scales, without_lost_anchors
from rubrictui.core.editing_moves import delete, duplicate, indent, move, move_to, outdent
from rubrictui.core.editing_nodes import add_node, rekey, rename, set_anchor, set_node, use_scale
from rubrictui.core.editing_version import set_bands, set_version
from rubrictui.core.history import History
from rubrictui.core.tree import tidy

__all__ = [
    "Clip",
    "EditError",
    "Edited",
    "History",
    "add_node",
    "copy_subtree",
    "delete",
    "duplicate",
    "indent",
    "move",
    "move_to",
    "outdent",
    "paste",
    "propose_key",
    "rekey",
    "rename",
    "set_anchor",
    "set_bands",
    "set_node",
    "set_version",
    "tidy",
    "use_scale",
    "with_scales",
    "without_lost_anchors",
]
