"""What would have to be activated before a plan can be carried out, and what that changes."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

from p4warden.home import active_policy
from p4warden.policy.differences import between
from p4warden.policy.summary import modes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.policy.compiled import Policy
    from p4warden.policy.differences import Difference


class Activation(NamedTuple):
    """A policy that a plan is for.

    Attributes:
        home: where it is to run.
        file: its YAML, None for the policy that runs there.
        policy: itself.
        before: the policy that runs there; None where none does.
    """

    home: str
    file: str | None
    policy: Policy
    before: Policy | None

    @property
    def needed(self) -> bool:
        """Whether another policy runs, or none."""
        return self.before is None or self.before.digest != self.policy.digest

    @property
    def command(self) -> str:
        """The command that carries the plan out, and makes the policy the running one."""
        policy = ["--policy", self.file] if self.file and self.needed else []
        return shlex.join(["p4warden", "deploy", "apply", *policy, "--home", self.home])

    def differences(self) -> list[Difference]:
        """Return what it means otherwise than the policy that runs."""
        return [*between(self.before, self.policy)] if self.before else []

    def lines(self) -> Iterator[str]:
        """Yield what activating it changes."""
        yield f"Policy: {self.file}, {self.policy.digest[:12]}; rules: {modes(self.policy)}"
        if self.before is None:
            yield f"No policy runs in {self.home} yet."
            return
        changed = [difference.line() for difference in self.differences()]
        named = f"policy {self.before.digest[:12]}, which runs now"
        yield f"Changes against {named}:" if changed else f"It judges as {named}."
        yield from (f"  {line}" for line in changed)


def activation(home: str, file: str | None, policy: Policy) -> Activation:
    """Return what stands between a policy and its running in a home folder."""
    return Activation(home, file, policy, active_policy.policy_if_any(home))
