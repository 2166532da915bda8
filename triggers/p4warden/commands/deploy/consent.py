"""The question before a change: one yes, at a terminal or beforehand with `--yes`."""

from __future__ import annotations

import click

from p4warden.core.errors import P4WardenError

yes_option = click.option("--yes", is_flag=True, help="Do not ask for confirmation.")


def is_given(question: str) -> bool:
    """Ask; tell whether the answer is yes, and say so where it is not.

    Raises:
        P4WardenError: nobody answers, as in a script without a terminal.
    """
    try:
        answer = click.confirm(question)
    except click.Abort as silence:
        click.echo()
        raise P4WardenError(
            "Nothing was changed: nobody answered. Answer at a terminal, or give --yes"
        ) from silence
    if not answer:
        click.echo("Nothing was changed.")
    return answer
