from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.json_lines import object_in
from p4warden.prove import server
from p4warden.prove.processes import run
from p4warden.prove.recording_file import recording
from p4warden.prove.records import Recording
from p4warden.prove.redaction import cleaned_recordings, redaction_of

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Sequence

    from p4warden.prove.experiment_site import ExperimentSite
    from p4warden.prove.records import Experiment
    from p4warden.prove.server import TimeLimits


class ServerRecordings(NamedTuple):
    """`version` is the output of `p4d -V`."""

    version: bytes
    recordings: dict[str, Recording]


def prove(
    program: str,
    experiments: Sequence[Experiment],
    progress: Callable[[Experiment], None],
    patience: TimeLimits = server.PATIENCE,
) -> ServerRecordings:
    """Return the recordings of experiments on a p4d in a temporary folder.

    `program` is its path; the first experiment creates the users.

    Raises: ServerError: the program cannot be run as a p4d, or the temporary folder's path cannot
    be part of a trigger line.
    """
    with server.throw_away(program) as place:
        redaction = redaction_of(place)
        version = redaction.text(server.version_of(place, patience.version_s))
        recordings: dict[str, Recording] = {}
        with server.listening(place, patience) as process:
            end_s = time.monotonic() + patience.all_s
            for experiment in experiments:
                progress(experiment)
                left_s = end_s - time.monotonic()
                recordings[experiment.name] = _record(experiment, place, process, left_s)
        return ServerRecordings(version, cleaned_recordings(recordings, redaction))


def _record(
    experiment: Experiment, place: ExperimentSite, process: subprocess.Popen[bytes], left_s: float
) -> Recording:
    if process.poll() is not None:
        return Recording({}, f"p4d ended before it, with {process.returncode}")
    if left_s <= 0:
        return Recording({}, "the time for all experiments was over")
    deadline_s = min(experiment.deadline_s, left_s)
    request = {**place._asdict(), "experiment": experiment.name, "folder": str(place.folder)}
    command = [sys.executable, "-I", "-m", "p4warden.prove.experiment_process"]
    result = run(
        command, place.environment(), json.dumps(request).encode(), deadline_s, str(place.work)
    )
    rows = [row for row in map(object_in, result.output.splitlines()) if row]
    steps = [row for row in rows if "step" in row]
    if result.code is None:
        return recording(steps, f"it was not over after {deadline_s:.0f} s")
    if result.code != 0:
        return recording(steps, f"its process ended with {result.code}")
    troubles = dict.fromkeys(str(row["trouble"]) for row in rows if "trouble" in row)
    return recording(steps, "; ".join(troubles) or None)
