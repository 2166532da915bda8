from __future__ import annotations

import json

import click

from p4warden.policy import reference, rule_page
from p4warden.policy import schema as language


@click.command()
@click.option(
    "--reference", "as_page", is_flag=True, help="Print the language as a Markdown page instead."
)
@click.option(
    "--rule",
    "kind",
    type=click.Choice(language.kinds()),
    metavar="KIND",
    help="Print the page of one kind of rule: its reason, the vendor's own levers, its settings.",
)
def schema(*, as_page: bool, kind: str | None) -> None:
    """Print the policy language of this release as a JSON Schema, for editors.

    Name the file in the first line of a policy: # yaml-language-server: $schema=FILE
    """
    click.echo(_text(as_page=as_page, kind=kind), nl=False)


def _text(*, as_page: bool, kind: str | None) -> str:
    if kind:
        return rule_page.text(kind)
    return reference.text() if as_page else json.dumps(language.schema(), indent=2) + "\n"
