"""Remedies in steps: words, and below them the commands to paste, each in a line of its own."""

from __future__ import annotations


def step(words: str, *commands: str) -> str:
    """Return a step of a remedy, without the line end of the last command."""
    return "\n".join([f"{words}:", *(f"  {command}" for command in commands)])


def commands(remedy: str) -> list[str]:
    """Return the commands of a remedy; one without steps is a command, or words alone."""
    found = [line.strip() for line in remedy.splitlines() if line.startswith("  ")]
    return found or [remedy]
