"""Specs, judged by the gate as if their owners saved them unchanged."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from p4warden.asking.gate_program import GateError
from p4warden.core import facts as known_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from p4warden.asking.judge import Judge
    from p4warden.core.records import Facts
    from p4warden.core.specs import Spec

    Answer = dict[str, Any]


def facts_for_specs(facts: Facts) -> dict[str, Any]:
    """Return the document of facts for a judge of specs.

    Directories in use are not looked up, so that the proposals for a spec depend on it alone.
    """
    document = known_facts.to_document(facts)
    # Rules name the first of several depots that fit.
    depots = {name: document["depots"][name] for name in facts.depots}
    return document | {"depots": depots, "depots_as_of": facts.depots_as_of, "used": []}


def event_of(spec: Spec, groups: Sequence[str], files: int | None = None) -> dict[str, Any]:
    """Return the event of a spec saved by its owner; `files` is the number that its view spans."""
    event = {
        "event": "form-save",
        "type": spec.type,
        "name": spec.name,
        "user": spec.owner,
        "groups": groups,
        "client": spec.name if spec.type == "client" else None,
    }
    form = {"fields": spec.fields} if spec.text is None else {"form": spec.text}
    return event | form | ({} if files is None else {"facts": {"view": {"files": files}}})


def judged(
    judge: Judge, specs: Iterable[Spec], event_of_spec: Callable[[Spec], dict[str, Any]]
) -> Iterator[tuple[Spec, Answer]]:
    """Yield each spec with the answer; later specs are read meanwhile.

    Raises:
        GateError: the gate cannot judge, for example because the baseline is damaged.
    """
    sent: deque[Spec] = deque()

    def events() -> Iterator[dict[str, Any]]:
        for spec in specs:
            sent.append(spec)
            yield event_of_spec(spec)

    for answer in judge.answers(events()):
        yield sent.popleft(), checked(answer)


def checked(answer: Answer) -> Answer:
    """Raise `GateError` for an answer without a verdict."""
    if "verdict" not in answer:
        raise GateError(answer["error"])
    return answer
