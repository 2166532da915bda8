"""Write the gate's table of known offenders from the data files of known programs."""

from __future__ import annotations

from pathlib import Path

from p4warden.programs.offenders import offenders

FILE = Path(__file__).parents[2] / "triggers" / "gate" / "src" / "event" / "known_offenders.tsv"


def table() -> str:
    """Return the table: a line for each offender, its fields separated by tabs."""
    rows = (
        (one.key, one.prog, one.command, " ".join(one.form), one.cause, one.remedy)
        for one in offenders().values()
    )
    return "".join("\t".join(row) + "\n" for row in rows)


if __name__ == "__main__":
    FILE.write_text(table(), "utf-8")
