from __future__ import annotations

from typing import Any, NamedTuple

from p4warden.core.errors import P4WardenError
from p4warden.home import json_file, trusted_files
from p4warden.table.merge import Plan

FILE_NAME = "deploy.plan.json"


class KeptPlan(NamedTuple):
    """A stored deployment plan, with the server and the policy that it was made for.

    Attributes:
        policy: the digest of the policy that the planned trigger lines are for.
    """

    server: str
    policy: str
    plan: Plan


def keep(home: str, stored_plan: KeptPlan) -> None:
    """Store the plan of `deploy plan` as a file in the home folder."""
    document = stored_plan._asdict() | {"plan": stored_plan.plan._asdict()}
    json_file.keep(home, FILE_NAME, document)


def load(home: str) -> KeptPlan:
    """Return the stored deployment plan.

    Raises:
        P4WardenError: there is no plan, or its file cannot be used.
    """
    problem = (
        " is damaged or was written by another version of p4warden; run p4warden deploy plan again"
    )
    stored_plan = json_file.load(home, FILE_NAME, _plan, problem)
    if stored_plan is None:
        raise P4WardenError(f"{home} has no deployment plan; run p4warden deploy plan first")
    return stored_plan


def _plan(document: Any) -> KeptPlan:
    server, policy, plan = document["server"], document["policy"], Plan(**document["plan"])
    if not all(isinstance(text, str) for text in (server, policy, plan.before, plan.after)):
        raise TypeError(document)
    return KeptPlan(server, policy, plan)


def is_for(home: str, policy: str) -> bool:
    """Tell whether a deployment plan is stored that is for the policy with this digest."""
    try:
        return load(home).policy == policy
    except P4WardenError:
        return False


def refuse_another(home: str, policy: str) -> None:
    """Check that the stored deployment plan is for the policy with this digest."""
    digest = load(home).policy
    if digest != policy:
        raise P4WardenError(
            f"the plan is for policy {digest[:12]}, but this is {policy[:12]}: the file was "
            "edited, or someone else made a plan meanwhile; nothing was changed; run p4warden "
            "deploy plan again"
        )


def forget(home: str) -> None:
    """Delete the deployment plan stored in a home folder, if there is one."""
    trusted_files.remove(home, FILE_NAME)
