from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from p4warden.core.specs import TYPES
from p4warden.core.time_spans import LATEST_S
from p4warden.home import baseline_file
from p4warden.policy.compiled import rule_lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.core.specs import Spec
    from p4warden.home.baseline_file import Entry
    from p4warden.index.contents import Counts
    from p4warden.policy.compiled import Policy
    from p4warden.workbench.census.judging import Answer

_OBJECTIONS = ("observe", "refuse")


def judged_types(policy: Policy) -> tuple[str, ...]:
    """Return the spec types whose saved forms the policy's rules judge."""
    events = {event for rule in rule_lines(policy) for event in rule.events}
    return tuple(name for name in TYPES if ("form-save", name) in events)


class BaselineCollector:
    def __init__(self, *, case_sensitive: bool) -> None:
        self.specs: dict[str, list[Entry]] = {}
        self._case_sensitive = case_sensitive

    def add(self, spec: Spec, answer: Answer) -> None:
        """Rules in mode observe count like enforced ones; rules in mode off have no findings."""
        marks = answer.get("marks")
        if marks:
            key = baseline_file.key(spec.type, spec.name, case_sensitive=self._case_sensitive)
            self.specs[key] = marks


def objecting_rules(answer: Answer) -> frozenset[str]:
    """Return the rules that refuse or observe a spec."""
    findings = answer["findings"]
    return frozenset(one["rule"] for one in findings if one["verdict"] in _OBJECTIONS)


def document(
    spec: Spec, answer: Answer, advice: Mapping[str, str | None], spans: Counts | None = None
) -> dict[str, Any]:
    """Return a verdict as a JSON object.

    Args:
        spec: the spec.
        answer: the gate's answer, with marks.
        advice: the site's text, by rule.
        spans: None for other specs than clients.
    """
    counts = spans._asdict() if spans else dict.fromkeys(("files", "revisions", "have"))
    return {
        "type": spec.type,
        "name": spec.name,
        "owner": spec.owner,
        "accessed": day_of(spec.accessed_s),
        **counts,
        "verdict": answer["verdict"],
        "rule": answer["rule"],
        "detail": answer["detail"],
        "fix": answer["fix"],
        "choice": answer.get("choice", []),
        "advice": advice.get(answer["rule"]),
    }


def day_of(seconds: float | None) -> str | None:
    """Convert epoch seconds to a local date, `YYYY-MM-DD`; None for None or out of range."""
    if seconds is None or not 0 <= seconds <= LATEST_S:
        return None
    return time.strftime("%Y-%m-%d", time.localtime(seconds))
