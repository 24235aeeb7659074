"""The looks of the app: dark, light, high contrast, sixteen colours, and none.

Colours come from the 256-colour cube, so a terminal whose ``COLORTERM`` was not forwarded shows the same
picture as one with 24-bit colour. ``text-muted`` and the cursor line are given outright: a blend with the
background vanishes in sixteen colours. Nothing is said by colour alone; a theme only helps to see it.
"""

from __future__ import annotations

from typing import Any

from textual.theme import Theme

DARK = "rubrictui-dark"
LIGHT = "rubrictui-light"
CONTRAST = "rubrictui-contrast"
SIXTEEN = "rubrictui-16"
PLAIN = "rubrictui-plain"

TITLES: dict[str, str] = {
    DARK: "Dark",
    LIGHT: "Light",
    CONTRAST: "High contrast",
    SIXTEEN: "Sixteen colours (the terminal's own)",
    PLAIN: "No colour",
}


def _solid(
    *, cursor: str, on_cursor: str, blurred: str, muted: str, line: str, bar: str, text: str
) -> dict[str, str]:
    """The variables that are the same thought in every theme with colours of its own."""
    return {
        "text-muted": muted,
        "text-disabled": muted,
        "foreground-muted": muted,
        "border": line,
        "border-blurred": line,
        "block-cursor-background": cursor,
        "block-cursor-foreground": on_cursor,
        "block-cursor-text-style": "bold",
        "block-cursor-blurred-background": blurred,
        "block-cursor-blurred-foreground": text,
        "block-cursor-blurred-text-style": "none",
        "input-cursor-background": text,
        "input-cursor-text-style": "none",
        "footer-background": bar,
        "footer-foreground": text,
        "footer-key-foreground": text,
        "footer-description-foreground": muted,
        "scrollbar": line,
        "scrollbar-hover": line,
        "scrollbar-active": muted,
        "scrollbar-background": bar,
        "scrollbar-background-hover": bar,
        "scrollbar-background-active": bar,
        "scrollbar-corner-color": bar,
    }


def _terminal(**changes: str) -> dict[str, str]:
    """The variables of the themes that leave every colour to the terminal."""
    return {
        "ansi-background": "ansi_default",
        "ansi-foreground": "ansi_default",
        "text-muted": "ansi_default",
        "text-disabled": "ansi_default",
        "foreground-muted": "ansi_default",
        "border": "ansi_default",
        "border-blurred": "ansi_default",
        "block-cursor-blurred-text-style": "underline",
        "footer-key-foreground": "ansi_default",
        "input-cursor-text-style": "reverse",
        "scrollbar": "ansi_white",
        "scrollbar-hover": "ansi_white",
        "scrollbar-active": "ansi_white",
        "scrollbar-background": "ansi_black",
        "markdown-h1-color": "ansi_default",
        **changes,
    }


_TERMINAL_BASE: dict[str, Any] = {
    "ansi": True,
    "foreground": "ansi_default",
    "background": "ansi_default",
    "surface": "ansi_default",
    "panel": "ansi_default",
    "boost": "ansi_default",
}

THEMES: tuple[Theme, ...] = (
    Theme(
        name=DARK,
        primary="#5fafff",
        secondary="#87afd7",
        accent="#ffaf5f",
        success="#87d787",
        warning="#ffd75f",
        error="#ff8787",
        foreground="#dadada",
        background="#121212",
        surface="#1c1c1c",
        panel="#303030",
        variables=_solid(
            cursor="#005f87",
            on_cursor="#ffffff",
            blurred="#303030",
            muted="#a8a8a8",
            line="#585858",
            bar="#262626",
            text="#dadada",
        ),
    ),
    Theme(
        name=LIGHT,
        primary="#005faf",
        secondary="#005f87",
        accent="#875f00",
        success="#005f00",
        warning="#875f00",
        error="#af0000",
        foreground="#1c1c1c",
        background="#ffffff",
        surface="#eeeeee",
        panel="#dadada",
        dark=False,
        variables=_solid(
            cursor="#005faf",
            on_cursor="#ffffff",
            blurred="#d0d0d0",
            muted="#585858",
            line="#8a8a8a",
            bar="#e4e4e4",
            text="#1c1c1c",
        ),
    ),
    Theme(
        name=CONTRAST,
        primary="#5fffff",
        secondary="#5fffff",
        accent="#ffff5f",
        success="#5fff5f",
        warning="#ffff5f",
        error="#ffafaf",
        foreground="#ffffff",
        background="#000000",
        surface="#000000",
        panel="#000000",
        variables=_solid(
            cursor="#ffff5f",
            on_cursor="#000000",
            blurred="#444444",
            muted="#e4e4e4",
            line="#ffffff",
            bar="#000000",
            text="#ffffff",
        ),
    ),
    Theme(
        # Only colours that can be read on black and on white alike: which of the two it is cannot be known.
        name=SIXTEEN,
        primary="ansi_bright_blue",
        secondary="ansi_bright_blue",
        accent="ansi_default",
        success="ansi_bright_blue",
        warning="ansi_magenta",
        error="ansi_bright_red",
        variables=_terminal(
            **{
                "block-cursor-background": "ansi_blue",
                "block-cursor-foreground": "ansi_bright_white",
                "block-cursor-text-style": "bold",
            }
        ),
        **_TERMINAL_BASE,
    ),
    Theme(
        name=PLAIN,
        primary="ansi_default",
        secondary="ansi_default",
        accent="ansi_default",
        success="ansi_default",
        warning="ansi_default",
        error="ansi_default",
        variables=_terminal(
            **{
                "block-cursor-background": "ansi_default",
                "block-cursor-foreground": "ansi_default",
                "block-cursor-text-style": "bold reverse",
                "input-selection-background": "ansi_default",
                "input-selection-foreground": "ansi_default",
                "screen-selection-background": "ansi_default",
                "screen-selection-foreground": "ansi_default",
            }
        ),
        **_TERMINAL_BASE,
    ),
)


def pick(chosen: str, *, no_color: bool, color_system: str | None) -> str:
    """The theme to start with.

    Args:
        chosen: a theme's name, or "auto" (also for a name that is no longer there).
        no_color: whether ``NO_COLOR`` is set; it wins over every choice.
        color_system: what the terminal can do: ``truecolor``, ``256``, ``standard`` (sixteen) or None.
    """
    if no_color or color_system is None or chosen == PLAIN:
        return PLAIN
    if color_system not in {"256", "truecolor"}:
        return SIXTEEN  # the others' colours would be rounded to some that cannot be read on their background
    return chosen if chosen in TITLES else DARK
