# Started as `python -I -m p4warden.prove.experiment_process`. Standard input: a JSON object with
# `experiment`, `folder`, `port`, `passwords` and `program`. Standard output: each step as soon as
# it is complete, in the format of `recording_file`, and `{"trouble": "..."}` for each part of the
# experiment that could not continue. The parent process may kill this process at any moment.

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from p4warden.prove import experiments
from p4warden.prove.experiment_site import ExperimentSite
from p4warden.prove.lab import Lab
from p4warden.prove.recording_file import step_row


def main() -> None:
    """Run the experiment that standard input names as JSON, on the p4d whose port it gives."""
    request = json.load(sys.stdin)
    experiment, folder = request.pop("experiment"), Path(request.pop("folder"))
    place = ExperimentSite(folder, **request)
    lab = Lab(
        place,
        lambda step: _write(step_row(step)),
        lambda trouble: _write({"trouble": trouble}),
    )
    with lab.part():
        if experiment != "login":
            lab.clean()
        experiments.run(experiment, lab)


def _write(row: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(row) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
