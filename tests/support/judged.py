"""Judges by a policy that a test writes as a document or has as a record."""

from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p4warden.asking.judge import judging
from p4warden.policy.compiled import FILE_NAME, FORMAT, Policy, dumps

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from p4warden.asking.judge import Judge

HEAD = {"format": FORMAT, "digest": "0" * 64, "contact": "admins"}


@contextlib.contextmanager
def judging_by(
    policy: Policy | Mapping[str, Any],
    facts: Mapping[str, Any] | None = None,
    index: Path | str | None = None,
    flags: Sequence[str] = (),
    baseline: Path | str | None = None,
) -> Iterator[Judge]:
    """Yield a judge by a policy; what a document lacks of a policy's head is added.

    `facts` is a document such as `facts.json`, for all events.
    """
    with tempfile.TemporaryDirectory() as folder:
        policy_file, facts_file = Path(folder, FILE_NAME), Path(folder, "facts.json")
        text = dumps(policy) if isinstance(policy, Policy) else json.dumps({**HEAD, **policy})
        policy_file.write_text(text, "utf-8")
        if facts is not None:
            facts_file.write_text(json.dumps(facts), "utf-8")
        with judging(
            str(policy_file),
            facts=None if facts is None else str(facts_file),
            baseline=None if baseline is None else str(baseline),
            index=None if index is None else str(index),
            flags=flags,
        ) as judge:
            yield judge
