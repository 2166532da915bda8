from __future__ import annotations

import click

from p4warden.commands.deploy import consent, servers
from p4warden.commands.deploy.apply import apply
from p4warden.commands.deploy.plan import plan
from p4warden.commands.options import installation_options, message_option, named_policy
from p4warden.commands.refresh import refresh

_NO_CHANGE, _CHANGES = 0, 1
"""Exit codes of `plan`, which raises an error for a failure."""


@click.command()
@click.argument("policy", type=named_policy)
@installation_options
@message_option
@consent.yes_option
@servers.names_options
@click.pass_context
def put(  # noqa: PLR0913 - one for each option
    context: click.Context,
    policy: str,
    port: str | None,
    user: str | None,
    home: str,
    message: str | None,
    *,
    yes: bool,
    ready_on: tuple[str, ...],
    exclude: tuple[str, ...],
    reason: str,
) -> None:
    """Put a policy on the server: show what changes, ask once, activate it, write the table.

    It is `plan` and `apply` with --policy. Nothing is changed before the answer, and policy and
    table are restored if a step fails. If nothing needs a change, only the facts are refreshed.
    """
    place = {"port": port, "user": user, "home": home}
    names = {"ready_on": ready_on, "exclude": exclude, "reason": reason}
    code = context.invoke(plan, policy_file=policy, no_next=True, **place, **names)
    if code == _NO_CHANGE and not (ready_on or exclude):
        context.invoke(refresh, **place)
    elif yes or code == _NO_CHANGE or consent.is_given(f"Apply these changes, with home {home}?"):
        context.invoke(apply, policy_file=policy, message=message, **place, **names)
