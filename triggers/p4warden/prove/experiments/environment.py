from __future__ import annotations

import json
import shutil
import signal
import time
from typing import TYPE_CHECKING, Any

from p4warden.prove.experiments.fact_values import of_steps

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from p4warden.prove.experiments.fact_values import FactValue
    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

_LABEL, _FILE = "prove-process", "process"
_EVENT = ("command", "pre-user-depots$")
_TIMES = 15
LEAST = {"RLIMIT_NOFILE": 64, "RLIMIT_AS": 512 * 1024 * 1024, "RLIMIT_CPU": 3600}
"""The least limits with which the gate and the Python worker can do their work."""
_UMASKS = frozenset({"0000", "0002", "0007", "0022", "0027", "0077"})
_QUICK_MS, _MOST_MS = 10, 50


def run(lab: Lab) -> None:
    """Let a trigger describe its process; then time a command with and without a trigger."""
    lab.answer(_LABEL, describe=_FILE)
    lab.install(lab.line(_LABEL, *_EVENT))
    lab.step("described", lab.connect(), "depots")
    process = json.loads((lab.place.calls / _FILE).read_text("ascii"))
    folders = {str(lab.place.root.resolve()): "server-root", "": "missing"}
    process["folder"] = folders.get(process["folder"], "other")
    lab.note("process", json.dumps(process).encode())
    with lab.part():
        _time(lab)


def _time(lab: Lab) -> None:
    program = shutil.which("true")
    if program is None:
        lab.not_asked("this host has no program `true`", "without", "with")
        return
    for name, lines in (
        ("without", ()),
        ("with", (f'prove-true {_EVENT[0]} {_EVENT[1]} "{program}"',)),
    ):
        lab.install(*lines)
        p4 = lab.connect()
        lab.must("depots", p4=p4)
        lab.note(name, *(str(_elapsed_us(lab, p4)).encode() for _ in range(_TIMES)))


def _elapsed_us(lab: Lab, p4: Any) -> int:
    start_ns = time.monotonic_ns()
    lab.must("depots", p4=p4)
    return (time.monotonic_ns() - start_ns) // 1000


def _umask(process: Mapping[str, Any]) -> str:
    umask = str(process["umask"])
    return umask if umask in _UMASKS else "other"


def _signals(process: Mapping[str, Any]) -> str:
    """`child-ignored` means that a trigger cannot wait for its own children.

    `some-ignored` or `none` is by whether others are ignored, apart from SIGPIPE and SIGXFSZ,
    which the recorder does not tell.
    """
    if signal.SIGCHLD in process["ignored"]:
        return "child-ignored"
    if process["blocked"]:
        return "blocked"
    return "some-ignored" if process["ignored"] else "none"


def _files(process: Mapping[str, Any]) -> str:
    open_files = set(process["files"])
    if not {0, 1, 2} <= open_files:
        return "closed"
    return "more" if open_files > {0, 1, 2} else "standard"


def _limits(process: Mapping[str, Any]) -> str:
    limits = {name: limit[0] for name, limit in process["limits"].items()}
    is_low = any(0 <= limits.get(name, -1) < least for name, least in LEAST.items())
    return "low" if is_low else "enough"


def _variables(process: Mapping[str, Any]) -> str:
    names = set(process["variables"])
    if not names:
        return "none"
    return "with-path" if "PATH" in names else "without-path"


def _added(without: Step, with_trigger: Step) -> str:
    """By the quickest run of each kind."""
    added_ms = (min(map(int, with_trigger.rows)) - min(map(int, without.rows))) / 1000
    if added_ms > _MOST_MS:
        return f"over-{_MOST_MS}-ms"
    return f"under-{_QUICK_MS if added_ms < _QUICK_MS else _MOST_MS}-ms"


def _of_process(show: Callable[[Mapping[str, Any]], str]) -> FactValue:
    return of_steps(lambda step: show(json.loads(step.rows[0])), "process")


VALUES = {
    "folder": _of_process(lambda process: str(process["folder"])),
    "umask": _of_process(_umask),
    "signals": _of_process(_signals),
    "files": _of_process(_files),
    "limits": _of_process(_limits),
    "variables": _of_process(_variables),
    "time": of_steps(_added, "without", "with"),
}
