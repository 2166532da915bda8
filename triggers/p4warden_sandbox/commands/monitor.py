from __future__ import annotations

import time
from typing import TYPE_CHECKING

from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import MONITOR_DISABLED, NOT_IN_SANDBOX
from p4warden_sandbox.usage import Usage

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call
    from p4warden_sandbox.running_commands import RunningCommand
    from p4warden_sandbox.usage import Options

_SHOW = Usage("monitor show [ -a -l -e ]", "ale", refused_options="Ls:")
_SHORT = 26


def monitor(call: Call) -> None:
    """Handle `p4 monitor show`: -a shows arguments, -l untruncated, -e the client's data."""
    action, *others = call.request.arguments or ["show"]
    if action != "show":
        raise CommandError(NOT_IN_SANDBOX, what=f"monitor {action}")
    options = _SHOW.read(others)
    if any(letter in options for letter in "ale"):
        call.require_super()
    if not call.store.configurables["monitor"]:
        raise CommandError(MONITOR_DISABLED)
    for process in call.server.running_commands.all():
        row = _row(process, options)
        call.reply.send(row, _line(row))


def _row(process: RunningCommand, options: Options) -> dict[str, str]:
    request = process.request
    elapsed_s = int(time.monotonic() - process.started_s)
    hours, minutes = divmod(elapsed_s // 60, 60)
    names = {"prog": "prog", "host": "host", "client": "client"} if "e" in options else {}
    return {
        "id": str(process.number),
        "status": "R",
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
