"""The words that p4d passes from a trigger line of a deploy."""

from __future__ import annotations

from p4warden.core.trigger_options import ARGS, options_of, words_of


def line_words(event: str, *options: str) -> list[str]:
    """Return an event and all options of its line: the given `--NAME=VALUE`, or no value.

    As in a deployed line, a blank follows the arguments of a command.
    """
    values = dict(option.removeprefix("--").split("=", 1) for option in options)
    if ARGS in values:
        values[ARGS] += " "
    unknown = values.keys() - set(options_of(event))
    assert not unknown, f"not in a line for {event}: {unknown}"
    return words_of(event, {"on-error": "allow", "triggers-io": "0"} | values)
