"""The errors that reach an administrator in plain words; everything else is a defect of ours."""


class P4WardenError(Exception):
    """An expected failure. Its text is one line: the problem and the remedy.

    Attributes:
        exit_code: the exit code of the command line.
    """

    exit_code = 1

    def shown(self) -> str:
        """Return the text as the command line prints it."""
        return f"p4warden: {self}"


class PolicyWrongError(P4WardenError):
    """A policy with problems. Its text has one line for each, `file:line:col: ...`."""

    def shown(self) -> str:
        """Return the problems as they are, for editors to jump to."""
        return str(self)
