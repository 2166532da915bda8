from __future__ import annotations

import contextlib
import datetime
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden.core import facts
from p4warden.core.printable import cut
from p4warden.home import active_policy, decision_log, off_mark
from p4warden.metrics.exposition import Sample
from p4warden.metrics.families import gauge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.metrics.exposition import Family
    from p4warden.policy.compiled import Exemption, Policy

_DAY = datetime.timedelta(days=1)


def beginning(now_s: float, *, starts: bool | None) -> Iterator[Family]:
    """Yield the metrics that are written whatever fails afterwards.

    Args:
        now_s: the time of the file, in seconds since the epoch.
        starts: whether p4d can start the programs; None if that is unknown.
    """
    text = "Time at which p4warden metrics wrote this, in seconds since the epoch."
    yield gauge("p4_warden_metrics_timestamp_seconds", text, Sample({}, int(now_s)))
    if starts is not None:
        text = "1 if p4d can start the programs of the trigger lines; else 0."
        yield gauge("p4_warden_gate_starts", text, Sample({}, int(starts)))


def families(home: str, now_s: float, *, is_usable: bool) -> Iterator[Family]:
    """Yield the metrics that are known; `is_usable` as `usable.refuse_unusable` found the home."""
    # Without a usable policy its metrics are left out; an alert rule tests for their absence.
    with contextlib.suppress(active_policy.UnusableFileError):
        yield from _policy_families(active_policy.policy(home), now_s)
    facts_file = Path(home, facts.FILE_NAME)
    if facts_file.exists():
        age_s = max(0, now_s - facts_file.stat().st_mtime)
        text = "Age in seconds of the facts: depots, directories and case handling of the server."
        yield gauge("p4_warden_facts_age_seconds", text, Sample({}, round(age_s)))
    yield from _log_families(home, is_writable=is_usable and decision_log.is_writable(home))
    text = "1 while p4warden is switched off: every event is allowed."
    mark = off_mark.read(home)
    is_off = mark is not None and mark.holds(int(now_s * 1e9))
    yield gauge("p4_warden_off", text, Sample({}, int(is_off)))
    if mark is not None and is_off and mark.has_end:
        text = "Seconds until p4warden off ends by itself; absent without an end."
        left_s = mark.end_ns / 10**9 - now_s
        yield gauge("p4_warden_off_ends_seconds", text, Sample({}, round(left_s)))


def _policy_families(policy: Policy, now_s: float) -> Iterator[Family]:
    text = "The running policy: the digest of its YAML, and its on_error setting."
    about = {"digest": policy.digest, "on_error": policy.on_error}
    yield gauge("p4_warden_policy_info", text, Sample(about, 1))
    modes = Counter(rule.mode for rule in policy.rules)
    samples = [Sample({"mode": mode}, modes[mode]) for mode in ("enforce", "observe", "off")]
    yield gauge("p4_warden_rules", "Rules of the running policy, by mode.", *samples)
    yield gauge(
        "p4_warden_exemption_expires_seconds",
        "Seconds until the end of an exemption's last day, negative afterwards; absent without "
        "an end. The id is the exemption's position in the policy.",
        *(
            Sample({"id": str(place), "owner": cut(one.owner), "reason": cut(one.reason)}, left_s)
            for place, one in enumerate(policy.exemptions, 1)
            if (left_s := _left_s(one, now_s)) is not None
        ),
    )


def _left_s(exemption: Exemption, now_s: float) -> int | None:
    """Negative after its end, by local time; None without an end."""
    if exemption.until is None:
        return None
    end = datetime.datetime.strptime(exemption.until, "%Y-%m-%d") + _DAY  # noqa: DTZ007 - local
    return int(end.timestamp() - now_s)


def _log_families(home: str, *, is_writable: bool) -> Iterator[Family]:
    log = Path(home, decision_log.FILE_NAME)
    size_bytes = decision_log.size_bytes(log) if log.is_file() else 0
    text = "Size in bytes of the current decision log, without rotated files."
    yield gauge("p4_warden_log_size_bytes", text, Sample({}, size_bytes))
    text = "1 if this account can write the decision log and its disk has room."
    yield gauge("p4_warden_log_writable", text, Sample({}, int(is_writable)))
