"""What a passphrase does for a packet: a signature over its content, and encryption in the format of ``age``.

The key of a signature is derived with scrypt from the passphrase and a random salt, so that trying passphrases
is slow. Its costs are fixed: a stranger's file may not choose how much work checking it is.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from typing import Any, Final

from rubrictui.core.model import Value
from rubrictui.interchange.packets_errors import PacketError

ALGORITHM: Final = "scrypt-hmac-sha256"
MINIMUM_PASSPHRASE: Final = 8
_AGE: Final = b"age-encryption.org/v1\n"
_INSTALL: Final = "Encryption needs the package pyrage: pip install 'rubrictui[packets]'."


class Signature(Value, frozen=True, kw_only=True):
    """``salt`` (16 bytes) and ``value`` (32 bytes) are hexadecimal."""

    algorithm: str = ALGORITHM
    salt: str
    value: str


def check_passphrase(passphrase: str) -> str:
    """A passphrase that may protect a new packet, as given.

    Raises:
        PacketError: it is too short.
    """
    if len(passphrase) < MINIMUM_PASSPHRASE:
        raise PacketError(
            f"The passphrase has fewer than {MINIMUM_PASSPHRASE} characters.", remedy="Use a longer one."
        )
    return passphrase


def signed(content: bytes, passphrase: str, *, salt: bytes | None = None) -> Signature:
    """The signature of these bytes under a passphrase."""
    chosen = salt or os.urandom(16)
    return Signature(salt=chosen.hex(), value=_mac(content, passphrase, chosen))


def verify(signature: Signature, content: bytes, passphrase: str, *, where: str) -> None:
    """Check a signature.

    Raises:
        PacketError: the passphrase is wrong or the content is not what was signed (the two look the same), or the
            signature is made in a way that is not known.
    """
    try:
        salt = bytes.fromhex(signature.salt)
    except ValueError:
        salt = b""
    if signature.algorithm != ALGORITHM or len(salt) != 16:
        raise PacketError(
            f"{where} is signed in a way this version does not know.", remedy="Upgrade rubrictui."
        )
    if not hmac.compare_digest(_mac(content, passphrase, salt).encode(), signature.value.encode()):
        raise PacketError(
            f"{where}: the signature does not fit: the passphrase is wrong, or the packet was altered.",
            remedy="Nothing of it was used. Try the passphrase again, or ask for the file again.",
        )


def _mac(content: bytes, passphrase: str, salt: bytes) -> str:
    key = hashlib.scrypt(passphrase.encode(), salt=salt, n=2**15, r=8, p=1, maxmem=64 * 1024 * 1024, dklen=32)
    return hmac.new(key, content, hashlib.sha256).hexdigest()


def is_encrypted(data: bytes) -> bool:
    """Whether the bytes are a file of ``age``."""
    return data.startswith(_AGE)


def encrypted(data: bytes, passphrase: str) -> bytes:
    """The bytes encrypted with a passphrase, in the format of ``age``.

    Raises:
        PacketError: the package for it is not installed.
    """
    return bytes(_pyrage().passphrase.encrypt(data, passphrase))


def decrypted(data: bytes, passphrase: str, *, where: str) -> bytes:
    """The bytes behind an ``age`` file.

    Raises:
        PacketError: the passphrase is wrong, the file is damaged, or the package for it is not installed.
    """
    pyrage = _pyrage()
    try:
        return bytes(pyrage.passphrase.decrypt(data, passphrase))
    except pyrage.DecryptError as error:
        wrong = "Decryption failed" in str(error)
        what = "the passphrase is wrong" if wrong else "it is damaged or cut short"
        raise PacketError(
            f"{where} cannot be decrypted: {what}.",
            remedy="Try the passphrase again." if wrong else "Ask for the file again.",
        ) from None


def _pyrage() -> Any:
    try:
        import pyrage
    except ImportError:
        raise PacketError("This packet is encrypted, or is to be.", remedy=_INSTALL) from None
    return pyrage
