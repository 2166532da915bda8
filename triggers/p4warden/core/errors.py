"""Exceptions whose text is shown to administrators; any other exception is a bug in p4warden."""


class P4WardenError(Exception):
    """Base class of expected failures; the text names the problem, and a remedy if known.

    Attributes:
        exit_code: the exit code of the `p4warden` command.
    """

    exit_code = 1

    def printed_text(self) -> str:
        """Return the error's text as the `p4warden` command prints it, after `p4warden: `."""
        return f"p4warden: {self}"


class PolicyWrongError(P4WardenError):
    """Error: a policy file has problems; the text has one line for each: `file:line:col: ...`."""

    def printed_text(self) -> str:
        """Return the problems without the prefix `p4warden: `, so that editors can find them."""
        return str(self)
