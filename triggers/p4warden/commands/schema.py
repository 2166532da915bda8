from __future__ import annotations

import json

import click

from p4warden.policy import schema as language


@click.command()
def schema() -> None:
    """Print the policy language of this release as a JSON Schema, for editors.

    Name the file in the first line of a policy: # yaml-language-server: $schema=FILE
    """
    click.echo(json.dumps(language.schema(), indent=2))
