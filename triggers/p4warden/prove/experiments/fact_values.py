from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from p4warden.prove.records import Call, Step

    FactValue = Callable[[Mapping[str, Step]], str | None]


def of_steps(derive: Callable[..., str | None], *names: str) -> FactValue:
    """Return a fact's value from these steps; None if one of them was not recorded."""

    def value(steps: Mapping[str, Step]) -> str | None:
        if not steps.keys() >= set(names):
            return None
        return derive(*(steps[name] for name in names))

    return value


def of_output(
    text: bytes, name: str, found: str, lacking: str, failed: str | None = None
) -> FactValue:
    """Return a fact's value by whether the output of a step that succeeded has a text."""

    def value(step: Step) -> str | None:
        if step.has_failed:
            return failed
        return found if text in step.output else lacking

    return of_steps(value, name)


def of_call(
    derive: Callable[[Call], str | None],
    name: str,
    silent: str | None = "silent",
    refused: str | None = None,
) -> FactValue:
    """Return a fact's value from the first trigger call of a step.

    Without a call it is `silent` if the command succeeded, else `refused`.
    """

    def value(step: Step) -> str | None:
        if step.calls:
            return derive(step.calls[0])
        return refused if step.has_failed else silent

    return of_steps(value, name)
