"""What holds for every test."""

from __future__ import annotations


def pytest_make_parametrize_id(config: object, val: object, argname: str) -> str | None:
    """Name a case of bytes by its argument: bytes with a time in them (a zip's) would give each process
    another list of tests, and parallel runs need one."""
    return argname if isinstance(val, bytes) else None
