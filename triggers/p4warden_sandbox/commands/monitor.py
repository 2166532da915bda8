from __future__ import annotations

import time
from typing import TYPE_CHECKING

from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import (
    MONITOR_BAD_ID,
    MONITOR_CANT_TERMINATE,
    MONITOR_DISABLED,
    MONITOR_TERMINATE,
    NO_PERMISSION,
    NOT_IN_SANDBOX,
)
from p4warden_sandbox.usage import Usage

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call
    from p4warden_sandbox.running_commands import RunningCommand
    from p4warden_sandbox.usage import Options

_SHOW = Usage("monitor show [ -a -l -e ]", "ale", refused_options="Ls:")
_TERMINATE = Usage("monitor terminate id", min_arguments=1, max_arguments=1)
_SHORT = 26


def monitor(call: Call) -> None:
    """Handle `p4 monitor show` and `p4 monitor terminate`."""
    action, *others = call.request.arguments or ["show"]
    if action not in {"show", "terminate"}:
        raise CommandError(NOT_IN_SANDBOX, what=f"monitor {action}")
    if action == "show" and any(letter in _SHOW.read(others) for letter in "ale"):
        call.require_super()
    if not call.store.configurables["monitor"]:
        raise CommandError(MONITOR_DISABLED)
    if action == "show":
        _show(call, _SHOW.read(others))
    else:
        _terminate(call, _TERMINATE.read(others).arguments[0])


def _show(call: Call, options: Options) -> None:
    """-a shows arguments, -l untruncated, -e the client's data."""
    for process in call.server.running_commands.all():
        row = _row(process, options)
        call.reply.send(row, _line(row))


def _terminate(call: Call, number: str) -> None:
    """Mark a process; its owner may with db.monitor.term.allow (p4 help monitor)."""
    process = call.server.running_commands.find(int(number) if number.isdecimal() else 0)
    if process is None:
        raise CommandError(MONITOR_BAD_ID, id=number)
    is_own = call.store.fold(process.request.text("user")) == call.store.fold(call.user)
    if not call.is_super and not (is_own and call.store.configurables["db.monitor.term.allow"]):
        raise CommandError(NO_PERMISSION)
    least_s = call.store.configurables["db.monitor.minruntime"]
    if time.monotonic() - process.started_s < least_s:
        call.reply.say(MONITOR_CANT_TERMINATE, id=number, t=str(least_s))
        return
    process.mark.set()
    call.reply.say(MONITOR_TERMINATE, id=number)


def _row(process: RunningCommand, options: Options) -> dict[str, str]:
    request = process.request
    elapsed_s = int(time.monotonic() - process.started_s)
    hours, minutes = divmod(elapsed_s // 60, 60)
    names = {"prog": "prog", "host": "host", "client": "client"} if "e" in options else {}
    return {
        "id": str(process.number),
        "status": "T" if process.mark.is_set() else "R",
        "user": request.text("user"),
        "time": f"{hours:02}:{minutes:02}:{elapsed_s % 60:02}",
        "command": request.func.removeprefix("user-"),
        "args": _arguments(request.arguments, options),
        **{name: request.text(field) for name, field in names.items()},
    }


def _arguments(arguments: list[str], options: Options) -> str:
    text = " ".join(arguments)
    if "l" in options:
        return text
    return text[:_SHORT] if "a" in options else ""


def _line(row: dict[str, str]) -> str:
    # Perforce API source msgs/msgdm.cc, MonitorData.
    before = [row["id"], row.get("prog", ""), row.get("host", ""), row["status"], row["user"]]
    after = [row.get("client", ""), row["time"], row["command"], row["args"]]
    return " ".join(word for word in before + after if word)
