from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden.asking.judge import Request, judging
from p4warden.policy import compiled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from p4warden.asking.judge import Judge
    from p4warden.policy.compiled import Policy

    Ask = Callable[[dict[str, Any]], dict[str, Any]]

NO_POLICY = compiled.Policy("", "", None, "allow", (), ())
"""A policy without rules, to ask about forms, and for a replay that only measures."""


@contextlib.contextmanager
def judging_by(
    policy: Policy, index: str | None = None, flags: Sequence[str] = ()
) -> Iterator[Judge]:
    """Yield a judge by a policy, until the context ends; `index` and `flags` as in `Request`."""
    with tempfile.TemporaryDirectory(prefix="p4warden-") as folder:
        file = Path(folder, compiled.FILE_NAME)
        file.write_text(compiled.dumps(policy), "utf-8")
        with judging(Request(str(file), index=index, flags=flags)) as judge:
            yield judge


def form_fields(ask: Ask, form: str) -> dict[str, list[str]]:
    """Ask for the values of a form's fields, by name in lower case; none if it cannot be read."""
    fields: dict[str, list[str]] = ask({"ask": "form", "form": form})["fields"]
    return fields


def first_value(fields: dict[str, list[str]], name: str) -> str | None:
    """Return the first value of a field that is not empty."""
    return next(filter(None, fields.get(name, ())), None)
