"""The activation that precedes carrying out a plan, and the changes that it causes."""

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
    """A policy for which a plan was made.

    Attributes:
        home: the home folder in which it is to run.
        file: the policy's YAML file, None for the running policy.
        policy: the policy.
        before: the running policy; None without one.
    """

    home: str
    file: str | None
    policy: Policy
    before: Policy | None

    @property
    def needed(self) -> bool:
        """Whether the policy has yet to be activated: another one is running, or none."""
        return self.before is None or self.before.digest != self.policy.digest

    @property
    def command(self) -> str:
        """The command that carries the plan out, and activates the policy."""
        policy = ["--policy", self.file] if self.file and self.needed else []
        return shlex.join(["p4warden", "deploy", "apply", *policy, "--home", self.home])

    def differences(self) -> list[Difference]:
        """Return the differences in meaning from the running policy."""
        return [*between(self.before, self.policy)] if self.before else []

    def lines(self) -> Iterator[str]:
        """Yield the changes that activating the policy causes, as lines of text."""
        yield f"Policy: {self.file}, {self.policy.digest[:12]}; rules: {modes(self.policy)}"
        if self.before is None:
            yield f"No policy runs in {self.home} yet."
            return
        changed = [difference.line() for difference in self.differences()]
        running = f"policy {self.before.digest[:12]}, which runs now"
        yield f"Changes against {running}:" if changed else f"It judges as {running}."
        yield from (f"  {line}" for line in changed)


def activation(home: str, file: str | None, policy: Policy) -> Activation:
    """Return the activation of `policy` in a home folder, with the policy that is running now."""
    return Activation(home, file, policy, active_policy.policy_if_any(home))
