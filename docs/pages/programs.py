"""The page docs/programs.md: known programs, what they send, and what shipped policies answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.core.plural import amount
from p4warden.programs.known_programs import REFUSED, exemption_entries, known_programs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from p4warden.programs.known_programs import Answer, Program, Request

_HEAD = """\
# Programs that sites run

The commands and forms that these programs send, as far as public code and logs show them, and the
answers of the policies in `policies/` and of the draft that `p4warden init` writes (`init`). No
policy that only observes stops any of them, except with arguments that p4d cannot pass.
`p4warden programs POLICY` shows the same for your own policy. `triggers/p4warden/programs/known/`
has the data, with the place in the code that sends each.

- `refuses`: this rule refuses it. `observes`: this rule would. An empty cell, and a policy without
  a column: it is allowed.
- `unknown`: allowed and logged; the rule cannot judge it, for example without an index.
- `too long`: the rules of this policy need the arguments of commands. p4d passes them in one word,
  and refuses a command for which that word is longer than 128 KiB. No exemption helps.
- `NNN` stands for a number that changes.

The exemptions name groups, because the names of users, clients and programs can be forged. Put the
accounts into such a group, or name a group of yours, and write the owner. `clients` and `programs`
narrow an exemption: it holds for members of the group, and only for these.

"""
_VERBS = {"observe": "observes", "delay": "delays", "refuse": "refuses"}


def page() -> str:
    """Return docs/programs.md."""
    programs = sorted(known_programs(), key=lambda program: program.name.casefold())
    return _HEAD + "".join(_overview(programs)) + "".join(map(_section, programs))


def _overview(programs: list[Program]) -> Iterator[str]:
    yield "| program | `default` refuses | `strict` refuses |\n|---|---|---|\n"
    for program in programs:
        cells = (_refused(program, program.answers[name]) for name in ("default", "strict"))
        yield f"| [{program.name}](#{_anchor(program.name)}) | {' | '.join(cells)} |\n"
    yield "\n"


def _refused(program: Program, answers: Mapping[str, Answer]) -> str:
    counts = {"forms": 0, "commands": 0}
    for request in program.requests:
        answer = answers.get(request.title)
        counts[request.kind] += answer is not None and answer.verdict in REFUSED
    texts = [amount(number, kind[:-1]) for kind, number in counts.items() if number]
    return ", ".join(texts) or "nothing"


def _anchor(title: str) -> str:
    kept = (c for c in title.lower().replace(" ", "-") if c.isalnum() or c == "-")
    return "".join(kept)


def _section(program: Program) -> str:
    prog = f" Its program name is `{program.prog}`." if program.prog else ""
    return (
        f"## {program.name}\n\n{program.about.strip()}{prog}\n\nSource: {program.source}.\n\n"
        + _table(program)
        + _forms(program)
        + "".join(_policy_part(program, name) for name in ("default", "strict"))
    )


def _table(program: Program) -> str:
    answers = {name: rows for name, rows in program.answers.items() if rows}
    judged = [one for one in program.requests if _is_judged(program, one)]
    head = "".join(f" | `{name}`" for name in answers)
    rows = "".join(f"| {' | '.join(_row(one, answers))} |\n" for one in judged)
    table = f"| sends{head} |\n{'|---' * (len(answers) + 1)}|\n{rows}\n" if rows else ""
    allowed = "; ".join(_sent(one) for one in program.requests if one not in judged)
    lead = "Also sent, and allowed by all" if rows else "Sent, and allowed by all"
    return table + (f"{lead}: {allowed}.\n\n" if allowed else "")


def _is_judged(program: Program, request: Request) -> bool:
    return any(request.title in rows for rows in program.answers.values())


def _row(request: Request, answers: Mapping[str, Mapping[str, Answer]]) -> Iterator[str]:
    yield _sent(request)
    yield from (_cell(rows.get(request.title)) for rows in answers.values())


def _sent(request: Request) -> str:
    if request.kind == "forms":
        return request.title
    pause = f", every {request.every_s:g} s" if request.every_s else ""
    notes = [
        f"{request.paths:,} such arguments" if request.paths > 1 else "",
        f"{request.times:,} times{pause}" if request.times > 1 else "",
    ]
    note = ", ".join(filter(None, notes))
    title = request.title.replace("|", "\\|")
    return f"`{title}`" + (f" ({note})" if note else "")


def _cell(answer: Answer | None) -> str:
    if answer is None:
        return ""
    verb = _VERBS.get(answer.verdict, answer.verdict)
    return f"{verb}: `{answer.rule}`" if answer.rule else verb


def _forms(program: Program) -> str:
    titles: dict[str, list[str]] = {}
    for request in program.requests:
        if request.kind == "forms" and _is_judged(program, request):
            titles.setdefault(request.event["form"], []).append(request.title)
    return "".join(
        f"<details><summary>{'; '.join(names)}</summary>\n\n```text\n{text}```\n\n</details>\n\n"
        for text, names in titles.items()
    )


def _policy_part(program: Program, policy: str) -> str:
    answers = program.answers[policy]
    if all(answer.verdict != "refuse" for answer in answers.values()):
        return ""
    entries = "".join(f"  - {entry}\n" for entry in exemption_entries(program, answers))
    return f"To allow what `{policy}` refuses, in `exemptions`:\n\n```yaml\n{entries}```\n\n"
