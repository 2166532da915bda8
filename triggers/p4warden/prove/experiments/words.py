from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from p4warden.prove.experiment_site import SUPER, USER
from p4warden.prove.experiments.fact_values import of_call, of_steps
from p4warden.prove.experiments.option_delivery import option_delivery
from p4warden.prove.relay import MARK, REPLACEMENT, relay

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Call, Step

LONG_BYTES = 128 * 1024
MANY = 1_100
PROGRAMS = {
    "empty": "",
    "blank": "a b",
    "quote": '"',
    "two-quotes": '""',
    "inner-quotes": 'a"b"c',
    "injection": f'x" "--user={SUPER}',
}
"""By the name of the fact that they show."""

_NOWHERE = "//depot/prove/none"
_LINE = ("--user=%user%", "--prog=%clientprog%", "--end=1")
_ARGS = ("--args=%args% ", "--end=1")


def run(lab: Lab) -> None:
    """Send odd program names, and long and many arguments; triggers record their words."""
    lab.install(
        lab.line("prove-program", "command", "pre-user-depots$", *_LINE),
        lab.line("prove-args", "command", "pre-user-files$", *_ARGS),
        lab.line("prove-bare", "command", "pre-user-dirs$", "bare:%args%"),
    )
    with lab.part():
        _send_nul(lab)
    for name, program in PROGRAMS.items():
        lab.ask(name, "depots", prog=program)
    paths = [f"{_NOWHERE}/{number}" for number in range(MANY)]
    lab.ask("long", "files", f"{_NOWHERE}/{'x' * LONG_BYTES}")
    lab.ask("many-in-quotes", "files", *paths)
    lab.ask("many-bare", "dirs", *paths)


def _send_nul(lab: Lab) -> None:
    """The ticket of the server's own port does not serve for the relay's port."""
    with relay(lab.place.port) as port:
        p4 = lab.connect(port=port)
        lab.step("nul-login", p4, "login", command_input=lab.place.passwords[USER])
        p4.disconnect()
        p4 = lab.connect(port=port, prog=f"prove{MARK.decode()}x")
        lab.step("nul", p4, "depots")
        p4.disconnect()


def _of_program(value: str, step: Step) -> str:
    names = {"user": USER, "prog": value, "end": "1"}
    return option_delivery(step, names, trusted_names=("user", "end"))


def _of_nul(steps: Mapping[str, Step]) -> str | None:
    """`unasked` if the user could not log in through the relay."""
    if "nul-login" in steps and steps["nul-login"].has_failed:
        return "unasked"
    return of_steps(partial(_of_program, f"prove{REPLACEMENT.decode()}x"), "nul")(steps)


def _of_arguments(call: Call) -> str:
    """Return `one-word` if the arguments arrived as one word of the line, else `broken`."""
    is_whole = (
        len(call.words) == len(_ARGS)
        and call.words[0].startswith(b"--args=")
        and call.words[1] == b"--end=1"
    )
    return "one-word" if is_whole else "broken"


def _of_bare(call: Call) -> str:
    return "passed" if len(call.words) == MANY else "cut"


_IF_SILENT = ("no-trigger", "refused")
VALUES = {
    **{name: of_steps(partial(_of_program, value), name) for name, value in PROGRAMS.items()},
    "long": of_call(_of_arguments, "long", *_IF_SILENT),
    "many-in-quotes": of_call(_of_arguments, "many-in-quotes", *_IF_SILENT),
    "nul": _of_nul,
    "many-bare": of_call(_of_bare, "many-bare", *_IF_SILENT),
}
