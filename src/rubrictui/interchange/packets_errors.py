"""What is wrong with a packet's file."""

from __future__ import annotations

from rubrictui.core.errors import InvalidInputError


class PacketError(InvalidInputError):
    """A packet that cannot be read or trusted: no zip, damaged, altered, newer, another store's, wrong passphrase."""

    code = "packet"
