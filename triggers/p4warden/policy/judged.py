from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden.asking.judge import Request, judging
from p4warden.core import facts as known_facts
from p4warden.policy import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.asking.judge import Judge
    from p4warden.core.records import Facts
    from p4warden.policy.compiled import Policy


@contextlib.contextmanager
def judging_policy(policy: Policy, facts: Facts, index: str | None = None) -> Iterator[Judge]:
    """Yield a judge by a policy that need not run anywhere, and by facts for all events.

    `index` is the path of a checkpoint index.
    """
    with tempfile.TemporaryDirectory(prefix="p4warden-") as folder:
        policy_file = Path(folder, compiled.FILE_NAME)
        policy_file.write_text(compiled.dumps(policy), "utf-8")
        facts_file = Path(folder, known_facts.FILE_NAME)
        facts_file.write_text(known_facts.to_text(facts), "utf-8")
        with judging(Request(str(policy_file), str(facts_file), index=index)) as judge:
            yield judge
