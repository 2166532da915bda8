from __future__ import annotations

from p4warden_sandbox.message_stack import Generic, MessageId, Severity, Subsystem

_FAILED, _INFO, _WARN = Severity.FAILED, Severity.INFO, Severity.WARN


def supp(number: int, text: str) -> MessageId:
    """Return a `MessageId` for an error message of Perforce's support library (SUPP)."""
    return MessageId(Subsystem.SUPP, number, _FAILED, Generic.USAGE, text)


def db(number: int, text: str, generic: Generic = Generic.USAGE) -> MessageId:
    """Return a `MessageId` for an error message of Perforce's subsystem DB."""
    return MessageId(Subsystem.DB, number, _FAILED, generic, text)


def dm(number: int, text: str, generic: Generic = Generic.USAGE) -> MessageId:
    """Return a `MessageId` for an error of Perforce's data manager (DM: files and specs)."""
    return MessageId(Subsystem.DM, number, _FAILED, generic, text)


def dm_info(number: int, text: str, generic: Generic = Generic.NONE) -> MessageId:
    """Return a `MessageId` for an informational message of Perforce's data manager (DM)."""
    return MessageId(Subsystem.DM, number, _INFO, generic, text)


def dm_none(number: int, text: str) -> MessageId:
    """Return a `MessageId` for a warning (subsystem DM) that there are no files to act on."""
    return MessageId(Subsystem.DM, number, _WARN, Generic.EMPTY, text)


def server(number: int, text: str, generic: Generic) -> MessageId:
    """Return a `MessageId` for an error message of Perforce's subsystem SERVER."""
    return MessageId(Subsystem.SERVER, number, _FAILED, generic, text)


def server_info(number: int, text: str, generic: Generic = Generic.NONE) -> MessageId:
    """Return a `MessageId` for an informational message of Perforce's subsystem SERVER."""
    return MessageId(Subsystem.SERVER, number, _INFO, generic, text)
