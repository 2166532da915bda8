from __future__ import annotations

import sys

import click

from p4warden.core.errors import P4WardenError

_SILENCE = "Nothing was changed: nobody answered. Answer at a terminal, or use --yes"

yes_option = click.option("--yes", is_flag=True, help="Do not ask for confirmation.")


def is_given(question: str) -> bool:
    """Ask the administrator a yes-or-no question; return whether the answer is yes.

    Prints a message if it is no.

    Raises:
        P4WardenError: there is no answer, as after Ctrl-C or in a script without input.
    """
    if sys.stdin is None:  # closed
        raise P4WardenError(_SILENCE)
    try:
        answer = click.confirm(question)
    except click.Abort as silence:
        click.echo()
        raise P4WardenError(_SILENCE) from silence
    if not answer:
        click.echo("Nothing was changed.")
    return answer
