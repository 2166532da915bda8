"""Errors shown to administrators in plain words; any other exception is a bug in p4warden."""


class P4WardenError(Exception):
    """An expected failure. Its text is one line: the problem and the remedy.

    Attributes:
        exit_code: the exit code of the `p4warden` command.
    """

    exit_code = 1

    def shown(self) -> str:
        """Return the error's text as the command line prints it."""
        return f"p4warden: {self}"


class PolicyWrongError(P4WardenError):
    """A policy with problems. Its text has one line for each problem: `file:line:col: ...`."""

    def shown(self) -> str:
        """Return the problems unchanged, so that editors can jump to their lines."""
        return str(self)
