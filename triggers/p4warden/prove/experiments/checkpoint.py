from __future__ import annotations

import json
import re
from functools import partial
from typing import TYPE_CHECKING, Any

from p4warden.prove.administration import OBSERVING, administer
from p4warden.prove.experiments.fact_values import of_steps
from p4warden.prove.second_server import UnsupportedError, run_p4d

if TYPE_CHECKING:
    from collections.abc import Callable

    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

STEPS = ("live", "index", "audit", "census", "live-census", "later", "journal")
_INDEXED = re.compile(rb": ([\d,]+) files?, .*, ([\d,]+) clients?")


def run(lab: Lab) -> None:
    """Compare what p4warden reads in a checkpoint with what p4d answers."""
    folder = lab.place.folder
    checkpoint = str(folder / "dump")
    try:
        run_p4d(lab.place, "-jd", checkpoint)
    except UnsupportedError as error:
        lab.not_asked(str(error), *STEPS)
        return
    _count(lab, "live")
    policy = folder / "census.yaml"
    policy.write_text(OBSERVING, "ascii")
    with lab.part():
        output = str(folder / "dump.index")
        administer(lab, "index", "index", "--checkpoint", checkpoint, "--output", output)
    with lab.part():
        administer(lab, "audit", "audit", "--json", checkpoint)
    with lab.part():
        census = ("census", "--json", "--policy", str(policy))
        administer(lab, "live-census", *census)
        administer(lab, "census", *census, "--checkpoint", checkpoint)
    with lab.part():
        _read_journal(lab, str(folder / "rotated"))


def _read_journal(lab: Lab, prefix: str) -> None:
    lab.must("admin", "checkpoint", prefix)
    lab.save_client("prove-later", "//depot/prove/a/... //prove-later/...")
    _count(lab, "later")
    files = (f"{prefix}.ckp.1", str(lab.place.journal))
    administer(lab, "journal", "audit", "--json", *files)


def _count(lab: Lab, name: str) -> None:
    lab.note(
        name, *(str(len(lab.must(*c))).encode() for c in (("files", "-e", "//..."), ("clients",)))
    )


def _comparison(numbers: Callable[[bytes], tuple[int, ...]], live: Step, step: Step) -> str:
    if step.rows[0] != b"0":
        return "fails"
    return "same" if numbers(step.rows[1]) == tuple(map(int, live.rows)) else "different"


def _of_index(output: bytes) -> tuple[int, ...]:
    match = _INDEXED.search(output)
    return tuple(int(number.replace(b",", b"")) for number in match.groups()) if match else ()


def _of_audit(output: bytes) -> tuple[int, ...]:
    [figures] = _json_lines(output)
    return figures["files"], figures["clients"]


def _censuses(live: Step, offline: Step) -> str:
    if {live.rows[0], offline.rows[0]} != {b"0"}:
        return "fails"
    live_specs, specs = (_specs(step.rows[1]) for step in (live, offline))
    return "same" if live_specs == specs else "different"


def _specs(output: bytes) -> set[tuple[str, ...]]:
    rows = _json_lines(output)
    return {tuple(str(row[key]) for key in ("type", "name", "owner", "verdict")) for row in rows}


def _json_lines(output: bytes) -> list[dict[str, Any]]:
    """There may be notes beside the objects."""
    return [json.loads(line) for line in output.splitlines() if line.startswith(b"{")]


VALUES = {
    "index": of_steps(partial(_comparison, _of_index), "live", "index"),
    "audit": of_steps(partial(_comparison, _of_audit), "live", "audit"),
    "census": of_steps(_censuses, "live-census", "census"),
    "journal": of_steps(partial(_comparison, _of_audit), "later", "journal"),
}
