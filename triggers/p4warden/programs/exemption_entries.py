from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from p4warden.programs.known_programs import Answer, Program


def exemption_entries(program: Program, answers: Mapping[str, Answer]) -> Iterator[str]:
    """Yield one line of YAML each for the rules that stop, or would stop, a program."""
    for kind, fields in program.exemptions.items():
        rules = program.rules_that_stop(answers, kind)
        if rules:
            selectors = {name: fields[name] for name in fields if name != "reason"}
            entry = {**selectors, "rules": rules, "reason": fields["reason"], "owner": "OWNER"}
            yield _flow(entry)


def _flow(entry: dict[str, object]) -> str:
    text: str = yaml.safe_dump(entry, default_flow_style=True, sort_keys=False, width=float("inf"))
    return text.rstrip("\n")
