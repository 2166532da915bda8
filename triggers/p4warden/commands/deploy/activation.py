from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden.policy.differences import between
from p4warden.policy.summary import modes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.policy.compiled import Policy
    from p4warden.policy.differences import Difference


class Activation(NamedTuple):
    """The policy of a deployment plan, and the policy that is running.

    Attributes:
        file: the planned policy's YAML file; None if the running policy is planned.
        running_policy: the running policy; None if none runs.
    """

    home: str
    file: str | None
    policy: Policy
    running_policy: Policy | None

    @property
    def is_needed(self) -> bool:
        return self.running_policy is None or self.running_policy.digest != self.policy.digest

    def differences(self) -> list[Difference]:
        return [*between(self.running_policy, self.policy)] if self.running_policy else []

    def lines(self) -> Iterator[str]:
        yield f"Policy: {self.file}, {self.policy.digest[:12]}; rules: {modes(self.policy)}"
        if self.running_policy is None:
            yield f"No policy is active in {self.home} yet."
            return
        difference_lines = [difference.line() for difference in self.differences()]
        active = f"the active policy {self.running_policy.digest[:12]}"
        yield f"Changes from {active}:" if difference_lines else f"Same settings as {active}."
        yield from (f"  {line}" for line in difference_lines)
