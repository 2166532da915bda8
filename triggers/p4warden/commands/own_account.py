"""The refusal of a policy that stops the account with which p4warden asks the server."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

from p4warden.core.errors import P4WardenError, PolicyWrongError
from p4warden.home import active_policy, server_names
from p4warden.policy.check import check_file
from p4warden.policy.problems import render
from p4warden.rehearse import known_surroundings, own_account

if TYPE_CHECKING:
    from collections.abc import Iterable

    import P4

    from p4warden.policy.compiled import Policy
    from p4warden.rehearse.own_account import Account, Stopped


def refuse_if_stopped(
    home: str, policy: Policy, file: str | None, accounts: Iterable[Account | None]
) -> None:
    """Check that no enforced rule of a policy stops p4warden's own questions.

    `file` is the policy's YAML file, None for the running policy; of the `accounts` that may ask,
    an unknown one is None and not checked.

    Raises:
        P4WardenError: a rule does; the text has the exemption to add.
    """
    around = known_surroundings.surroundings_of_home(home)
    for account in dict.fromkeys(filter(None, accounts)):
        if found := own_account.stopped(policy, account, around):
            raise _refusal(found, file)


def _refusal(found: Stopped, file: str | None) -> P4WardenError:
    problem = found.problem
    if file is None:
        return P4WardenError(f"the running policy: {render(problem.path)}: {problem.text}")
    today = datetime.date.today()  # noqa: DTZ011 - exemptions end by the server's local time
    [located] = check_file(file, today).locate([problem])
    return PolicyWrongError(located.line(file))


def connected_account(home: str, policy: Policy, p4: P4.P4) -> Account | None:
    """Return the account of a connection; None if no rule may stop it.

    The next `p4warden refresh` with this account makes it the one that asks.
    """
    # Only here, because P4Python takes long to load.
    from p4warden.server.gather_facts import gather_names  # noqa: PLC0415

    if not own_account.is_about_questions(policy):
        return None
    names = server_names.last(home) or gather_names(p4)
    return own_account.named(p4.user, names, active_policy.facts_if_any(home))
