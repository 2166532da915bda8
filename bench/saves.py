"""Measure simultaneous form saves on one processor; each save must end in a verdict.

The forms are the slowest ones, with facts of 500 depots of 1,000 directories each; a narrow client
saved meanwhile must not wait for them. The exit code is 1 if a save went wrong, for example if it
ended in the `on_error` answer, which means that it got no verdict.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import yaml
from rich.console import Console
from rich.table import Table
from static_programs import as_installed

from p4warden import cli
from p4warden.asking import gate_program
from p4warden.core import facts
from p4warden.core.trigger_options import words_of
from p4warden.home.summed_file import summed

sys.path.append(str(Path(__file__).parents[1] / "docs"))

from pages.rule_page import example_policy

DEPOTS, DIRECTORIES = 500, 1_000
DEADLINE_S = 5.0
MOST = int(os.environ.get("SAVES", "24"))
"""Saves at once, for the shapes that have so many."""
RULES = ("limit_view_scope", "limit_path_length")


class SaveMeasurement(NamedTuple):
    number: int
    form_type: str
    start: str
    repeated_line: str
    lines: int
    end: str = ""

    def text(self) -> str:
        """Cut at 4 MiB; in each repeated line `{}` is a number."""
        rows = (self.repeated_line.replace("{}", str(number)) for number in range(self.lines))
        return f"{self.start}{''.join(rows)}{self.end}"[: 4 * 1024 * 1024]


VIEW = "Client:\tws\nView:\n"
SHAPES = {
    "120 lines of //*/DirN": SaveMeasurement(
        8, "client", VIEW, "\t//*/Dir{}/... //ws/*/Dir{}/...\n", 120
    ),
    "100 lines of //*": SaveMeasurement(8, "client", VIEW, "\t//*/... //ws/{}/*/...\n", 100),
    "wildcards in a depot's name": SaveMeasurement(
        8, "client", VIEW, "\t//*e*p*o*t*/{}/... //ws/*e*p*o*t*/{}/...\n", 120
    ),
    "a long name of stars": SaveMeasurement(
        8, "client", VIEW, "\t//" + "*e" * 240 + "/{}/... //ws/" + "*e" * 240 + "/...\n", 120
    ),
    "words in capitals": SaveMeasurement(
        8, "client", VIEW, "\t//DEPOT/DIRECTORY/... //ws/{}/...\n", 900
    ),
    "3 MB of lines": SaveMeasurement(
        24, "client", VIEW, "\t//Depot7/Dir7/" + "a" * 30 + "/{}/... //ws/{}/...\n", 42_000
    ),
    "3 MB of wide lines": SaveMeasurement(
        24, "client", VIEW, "\t//*/Dir7/" + "a" * 30 + "/{}/... //ws/*/{}/...\n", 38_000
    ),
    "3 MB of exclusions": SaveMeasurement(
        24,
        "client",
        VIEW + "\t//*/... //ws/*/...\n",
        "\t-//Depot7/.../" + "a" * 30 + "{}/... //ws/.../{}/...\n",
        38_000,
    ),
    "a branch of 49,000 lines": SaveMeasurement(
        8, "branch", "Branch:\tb\nView:\n", "\t//*/{}/... //Depot7/*/{}/...\n", 49_000
    ),
    "a stream of 49,000 imports": SaveMeasurement(
        8, "stream", "Stream:\t//s/m\nPaths:\n", "\timport d/{}/... //*/Dir{}/...\n", 49_000
    ),
    "a line of 4 MiB": SaveMeasurement(
        8, "client", VIEW + "\t//*/", "a/", 2_090_000, "... //ws/*/...\n"
    ),
    "a line of 4 MiB of quotes": SaveMeasurement(
        8, "client", VIEW + "\t", '"a" ', 1_040_000, "\n"
    ),
    "more than 4 MiB": SaveMeasurement(
        8, "client", VIEW, "\t//Depot7/... //ws/{}/... # 0123456\n", 120_000
    ),
}


def main() -> None:
    """Exit with 1 if a slow form is not refused, or the narrow client has to wait."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    table = Table("saves at once", "form", "MB", "refused", "no verdict", "last s", "narrow one s")
    missing = 0
    with tempfile.TemporaryDirectory(prefix="p4warden-saves-") as name:
        program = as_installed(gate_program.find(), Path(name, gate_program.NAME))
        for number, (shape, most) in enumerate(SHAPES.items()):
            saves = most._replace(number=min(most.number, MOST))
            folder = Path(name, str(number))
            refusal_count, faults, last_s, narrow_s = measured(program, folder, saves)
            missing += saves.number - refusal_count + faults + (narrow_s > DEADLINE_S)
            size = f"{len(saves.text()) / 1e6:.2f}"
            counts = (str(refusal_count), str(faults), f"{last_s:.2f}", f"{narrow_s:.2f}")
            table.add_row(str(saves.number), shape, size, *counts)
    Console().print(table)
    sys.exit(missing > 0)


def measured(program: str, folder: Path, saves: SaveMeasurement) -> tuple[int, int, float, float]:
    """Return refused saves, saves without verdict, and seconds until the last and narrow ended.

    The narrow client is another user's; its refusal counts as a save without verdict.
    """
    home = prepared(folder)
    form, narrow = folder / "form", folder / "narrow"
    form.write_text(saves.text())
    narrow.write_text(f"{VIEW}\t//Depot1/Dir1/... //ws/...\n")
    began_s = time.monotonic()
    running = [save(program, home, form, saves.form_type, f"u{n}") for n in range(saves.number)]
    other_s = time.monotonic()
    other = save(program, home, narrow, "client", "ann")
    other.wait()
    narrow_s = time.monotonic() - other_s
    refusal_count = sum(process.wait() == 1 for process in running)
    last_s = time.monotonic() - began_s
    records = map(json.loads, (home / "decisions.jsonl").read_text().splitlines())
    faults = sum(record.get("count", 1) for record in records if "fault" in record)
    return refusal_count, faults + (other.returncode != 0), last_s, narrow_s


def prepared(folder: Path) -> Path:
    """Return a home with an active policy and the facts of a large server."""
    home, file = folder / "home", folder / "policy.yaml"
    folder.mkdir()
    rules = [example_policy(rule)["rules"][0] | {"mode": "enforce"} for rule in RULES]
    file.write_text(yaml.safe_dump({"version": 1, "contact": "admins", "rules": rules}))
    with contextlib.redirect_stdout(io.StringIO()):
        wrong = cli.run(["activate", str(file), "--home", str(home)])
    if wrong:
        sys.exit("the bench's own policy is wrong")
    depot = {"type": "local", "directories": [f"Dir{number}" for number in range(DIRECTORIES)]}
    depots = {f"Depot{number}": depot for number in range(DEPOTS)}
    file = home / "facts.json"
    known = facts.from_document({"case_sensitive": False, "depots": depots})
    file.write_bytes(summed(facts.to_text(known)))
    file.chmod(0o600)
    return home


def save(
    program: str, home: Path, form: Path, form_type: str, user: str
) -> subprocess.Popen[bytes]:
    """Start the gate with the words that p4d would pass for a saved form; return the process."""
    options = {"home": str(home), "on-error": "allow", "type": form_type, "form": str(form)}
    options |= {"user": user, "client": user, "name": user}
    words = words_of("form-save", options)
    return subprocess.Popen([program, *words], stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
