"""The errors that reach an administrator in plain words; everything else is a defect of ours."""


class P4WardenError(Exception):
    """An expected failure. Its text is one line: what is wrong and what to do.

    Attributes:
        exit_code: what the command line leaves with.
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
