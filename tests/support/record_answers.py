"""Write what the shipped policies answer into the data files of known programs.

Run it after a change of a policy or a rule, review `git diff`, then run `make docs`.
"""

from __future__ import annotations

from pathlib import Path

import yaml

from p4warden.programs import known_programs
from support.program_policies import answers_of, policies


def main() -> None:
    answers = {name: answers_of(policy) for name, policy in policies().items()}
    folder = Path(known_programs.__file__).parent / "known"
    for file in sorted(folder.glob("*.yaml")):
        text = file.read_text("utf-8").partition(known_programs.ANSWERS)[0]
        file.write_text(text + known_programs.ANSWERS + _block(answers, file.stem), "utf-8")


def _block(answers: dict[str, dict[str, dict[str, known_programs.Answer]]], key: str) -> str:
    rows = {
        policy: {title: _fields(answer) for title, answer in programs[key].items()}
        for policy, programs in answers.items()
    }
    text = yaml.safe_dump(rows, sort_keys=False, width=1000, default_flow_style=None)
    return "".join(f"  {line}\n" for line in text.splitlines())


def _fields(answer: known_programs.Answer) -> dict[str, str]:
    return {name: value for name, value in answer._asdict().items() if value is not None}


if __name__ == "__main__":
    main()
