from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p4warden.asking.judge import judging
from p4warden.core import facts as known_facts
from p4warden.policy import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from p4warden.asking.judge import Judge
    from p4warden.policy.compiled import Policy

NO_POLICY = compiled.Policy("", "", None, "allow", (), ())
"""A policy without rules, to ask about forms, and for a replay that only measures."""


@contextlib.contextmanager
def judging_by(
    policy: Policy,
    facts: Mapping[str, Any] | None = None,
    *,
    baseline: str | None = None,
    index: str | None = None,
    flags: Sequence[str] = (),
) -> Iterator[Judge]:
    """Yield a judge by a policy that need not run anywhere, until the context ends.

    `facts`, a document such as `facts.json`, is for all events; the others are as in `judging`.
    """
    with tempfile.TemporaryDirectory(prefix="p4warden-") as folder:
        policy_file = Path(folder, compiled.FILE_NAME)
        policy_file.write_text(compiled.dumps(policy), "utf-8")
        facts_file = None if facts is None else Path(folder, known_facts.FILE_NAME)
        if facts_file is not None:
            facts_file.write_text(json.dumps(facts), "utf-8")
        facts_path = None if facts_file is None else str(facts_file)
        with judging(str(policy_file), facts_path, baseline, index, flags) as judge:
            yield judge
