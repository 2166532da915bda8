from __future__ import annotations

import click

from p4warden.core.errors import P4WardenError

yes_option = click.option("--yes", is_flag=True, help="Do not ask for confirmation.")


def is_given(question: str) -> bool:
    """Ask the administrator a yes-or-no question; return whether the answer is yes.

    Prints a message if it is no.

    Raises:
        P4WardenError: there is no answer, as after Ctrl-C or in a script without input.
    """
    try:
        answer = click.confirm(question)
    except click.Abort as silence:
        click.echo()
        raise P4WardenError(
            "Nothing was changed: nobody answered. Answer at a terminal, or use --yes"
        ) from silence
    if not answer:
        click.echo("Nothing was changed.")
    return answer
