from __future__ import annotations

import json

import click

from p4warden.policy import reference
from p4warden.policy import schema as language


@click.command()
@click.option(
    "--reference", "as_page", is_flag=True, help="Print the language as a Markdown page instead."
)
def schema(*, as_page: bool) -> None:
    """Print the policy language of this release as a JSON Schema, for editors.

    Name the file in the first line of a policy: # yaml-language-server: $schema=FILE
    """
    text = reference.text() if as_page else json.dumps(language.schema(), indent=2) + "\n"
    click.echo(text, nl=False)
