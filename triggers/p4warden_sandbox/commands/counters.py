from __future__ import annotations

import re
from typing import TYPE_CHECKING

from p4warden_sandbox.changelists import COUNTER
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import DANGEROUS_COUNTER, NO_SUCH_COUNTER, WRONG_ARGUMENTS
from p4warden_sandbox.usage import Usage
from p4warden_sandbox.words import is_whole_number

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call

_COUNTER = Usage(
    "counter [ -d -i ] name [ value ]",
    "dif",
    refused_options="um",
    min_arguments=1,
    max_arguments=2,
)
_COUNTERS = Usage("counters [ -e filter ] [ -m max ]", "e:m:", refused_options="u")


def counter(call: Call) -> None:
    """Handle `p4 counter`: show, set, increase (-i) or delete (-d) a counter."""
    options = _COUNTER.read(call.request.arguments)
    name, *value = options.arguments
    counters = call.store.counters
    if name == COUNTER and (value or {"d", "i"} & options.values.keys()):
        raise CommandError(DANGEROUS_COUNTER, counter=name)
    if "d" in options:
        call.require_super()
        if counters.pop(name, None) is None:
            raise CommandError(NO_SUCH_COUNTER, counter=name)
        call.reply.line(f"Counter {name} deleted.")
        return
    if value or "i" in options:
        call.require_super()
        counters[name] = value[0] if value else _next(counters.get(name, "0"))
    if value:
        call.reply.line(f"Counter {name} set.")
    else:
        _show(call, name, counters.get(name, "0"))


def _next(value: str) -> str:
    if not is_whole_number(value):
        raise CommandError(WRONG_ARGUMENTS)
    return str(int(value) + 1)


def _show(call: Call, name: str, value: str) -> None:
    if call.reply.tagged:
        call.reply.row([("counter", name), ("value", value)])
    else:
        call.reply.line(value)


def counters(call: Call) -> None:
    """Handle `p4 counters`: list the counters that match `-e PATTERN`, at most `-m MAX`."""
    options = _COUNTERS.read(call.request.arguments)
    literals = options.values.get("e", "*").split("*")
    matches = re.compile(".*".join(map(re.escape, literals))).fullmatch
    names = [name for name in sorted(call.store.counters) if matches(name)]
    for name in names[: options.limit()]:
        value = call.store.counters[name]
        if call.reply.tagged:
            call.reply.row([("counter", name), ("value", value)])
        else:
            call.reply.line(f"{name} = {value}")
