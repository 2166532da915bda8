"""Homes in which one file decides about an event, which is refused."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from gate.connections import Connection
from gate.forms import DEPOTS, TOPS, VIEWS, WIDE, give_account
from gate.program import PROGRAM, GateReply, Home, rate, rule
from p4warden.home import allowances, baseline_file, server_account, trial_client
from p4warden.home.allowances import Allowance
from support.small_index import small_index

if TYPE_CHECKING:
    import contextlib
    from collections.abc import Callable, Sequence
    from pathlib import Path

SCOPE = {"name": "wide", "rule": "limit_command_scope", "mode": "enforce", "min_depth": 1}
SCOPES = [{**SCOPE, "commands": ["fstat"]}, {**SCOPE, "name": "other", "commands": ["files"]}]
ROWS = {"name": "rows", "rule": "limit_scanned_rows", "mode": "enforce", "max_files": 2000}
AT_ONCE = {"name": "at-once", "rule": "limit_concurrent_commands", "mode": "enforce"}
DEPOT = {"type": "local", "directories": ["main"]}
FACTS = {
    "case_sensitive": True,
    "depots": {"depot": DEPOT, **{f"depot{n}": DEPOT for n in range(40)}},
}
OF_ANOTHER = Allowance("a423jn1e", 2**33, "anl", None, {"command": "fstat"}, "wide", "r", "admin")
"""Of a user whose name is a bit away."""

TRIAL = f"{trial_client.PREFIX}0123456789abcdef"
ASKING = """\
import json, sys
new = f"//depot/new{json.load(sys.stdin).get('change')}/file"
directories = {"depot": {"names": ["main"], "all": True}}
answer = {"files": [[new, "add"]], "listed": 1, "judged": 1, "directories": directories}
print(json.dumps(answer | {"depots": {"depot": "local"}}))
"""
ACCOUNT = {"port": "ssl:perforce:1666", "user": "p4admin", "ticket_file": "", "environment": {}}
OF_ACCOUNT = f"""\
#!{sys.executable} -I
import sys
from p4warden.home import server_account
if server_account.read(sys.argv[-1]) != {ACCOUNT}:
    sys.exit(print('{{"files": [], "listed": 0, "judged": 0, "directories": {{}}}}'))
"""
"""Begins a script whose server has no files for another account."""

MOST_WAITING = 16
PATIENCE_S = 30


class Site:
    """A home, whose gate asks a script in place of the server, and what runs beside it."""

    def __init__(self, folder: Path, on_error: str, stack: contextlib.ExitStack) -> None:
        self.folder, self._on_error, self._stack = folder, on_error, stack
        program = folder / "bin" / "p4warden-gate"
        program.parent.mkdir()
        shutil.copy(PROGRAM, program)
        self._python = program.with_name("python3")
        self.answer_by(f"#!{sys.executable} -IS\n{ASKING}")
        self.home = Home(folder / "home", program)
        self.home.know(FACTS)
        give_account(self.home)

    def answer_by(self, script: str) -> None:
        self._python.write_text(script)
        self._python.chmod(0o755)

    def write(self, name: str, content: bytes) -> None:
        (self.home.folder / name).write_bytes(content)
        (self.home.folder / name).chmod(0o600)

    def line(self, event: str, *words: str) -> list[str]:
        return self.home.line(event, f"--on-error={self._on_error}", "--user=ann", *words)

    def connection(self, *lines: list[str], stay_s: float = 0) -> Connection:
        connection = Connection(*lines, stay_s=stay_s)
        self._stack.callback(connection.kill)
        return connection

    def form(self, kind: str, text: str, name: str = "ws") -> list[str]:
        file = self.folder / f"{kind}-{name}"
        file.write_text(text)
        return self.line("form-save", f"--type={kind}", f"--form={file}", f"--name={name}")

    def passes(self, *line: str) -> None:
        self.gets(0, _answer([*line]))

    def gets(self, code: int, reply: Sequence[object]) -> None:
        if reply[0] != code:
            raise RuntimeError(f"the home is not as the case needs it: {reply}")


def _answer(line: list[str]) -> GateReply:
    """Return the gate's answer; an event that waits for longer is allowed."""
    process = subprocess.Popen(
        line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        text = process.communicate(timeout=PATIENCE_S)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return GateReply(0, "it waits")
    return GateReply(process.returncode, text)


class Case(NamedTuple):
    """A file, the rules and the home in which it decides, the event, and what the refusal says."""

    file: str
    rules: list[dict[str, Any]]
    prepare: Callable[[Site], object]
    line: Callable[[Site], list[str]]
    refusal: str
    ask: Callable[[Site, list[str]], GateReply] = lambda _, line: _answer(line)


def command(name: str, *words: str) -> Callable[[Site], list[str]]:
    """Return the line for a command of ann at a site."""
    return lambda site: site.line("command", f"--command=user-{name}", *words)


def submit(change: int) -> Callable[[Site], list[str]]:
    """Return the line for a submit, which adds a directory, at a site."""
    return lambda site: site.line("change-submit", f"--change={change}")


def _allow_another(site: Site) -> None:
    allowances.replace(str(site.home.folder), [OF_ANOTHER])


def _tolerate_others(site: Site) -> None:
    entry = ["no-whole-depot", "View line", "//depot/...\t//ws/...", 0]
    specs = {f"client/ws{n}": [entry] for n in range(40)}
    site.write("baseline.json", baseline_file.write(specs))


def _use_a_rate(site: Site) -> None:
    line = command("fstat")(site)
    site.passes(*line)
    site.gets(1, _answer(line))


def _run_one(site: Site) -> None:
    site.gets(0, site.connection(command("sync")(site), stay_s=600).answer())


def _ask_as_another_connection(site: Site, line: list[str]) -> GateReply:
    code, text, _ = site.connection(line).answer()
    return GateReply(code, text)


def _fill_the_waiting_places(site: Site) -> None:
    site.passes(*command("fstat")(site))
    waiting = [subprocess.Popen(command("fstat")(site)) for _ in range(MOST_WAITING)]
    while site.home.decided() <= MOST_WAITING:
        time.sleep(0.01)
    for process in waiting:
        process.kill()
        process.wait()


def _widen_a_saved_client(site: Site) -> None:
    folder = site.folder / "index"
    folder.mkdir()
    clients = {"ws": ["//depot/few/... //ws/..."], "few": ["//depot/few/... //few/..."]}
    index = small_index(folder, {"//depot/main": 3000, "//depot/few": 30}, clients)
    site.write("checkpoint.index", index.read_bytes())
    site.passes(*site.form("client", f"Root:\t/home/ws\n\n{WIDE}"))


def _add_a_depot(site: Site) -> None:
    site.passes(*site.form("depot", "Depot: fresh\n", "fresh"))


def _record_an_account(site: Site) -> None:
    server_account.write(str(site.home.folder), ACCOUNT)
    site.answer_by(OF_ACCOUNT + ASKING)


def _announce_a_trial(site: Site) -> None:
    trial_client.announce(str(site.home.folder), TRIAL, int(time.time()))


def _end_a_switch_off(site: Site) -> None:
    mark = site.home.folder / "off"
    mark.touch(0o700)
    os.utime(mark, (1, 1))


def _know_old_lines(site: Site) -> None:
    site.write("lines_digest", b"01234567")
    site.passes(*command("info")(site))


FSTAT = command("fstat", "--args=//depot7/...")
EVERY_CASE = {
    "policy": Case("policy.json", SCOPES, lambda _: None, FSTAT, "rule=wide"),
    "facts": Case("facts.json", SCOPES, lambda _: None, FSTAT, "rule=wide"),
    "allowances": Case("allowances.json", SCOPES, _allow_another, FSTAT, "rule=wide"),
    "baseline": Case(
        "baseline.json",
        [VIEWS | {"baseline": True}],
        _tolerate_others,
        lambda site: site.form("client", WIDE),
        "rule=no-whole-depot",
    ),
    "rate": Case("state", [rule(rate("user"))], _use_a_rate, command("fstat"), "rule=polling"),
    "commands at once": Case(
        "state",
        [AT_ONCE | {"commands": ["sync"], "limits": [{"per": [], "at_most": 1}]}],
        _run_one,
        command("sync"),
        "rule=at-once",
        ask=_ask_as_another_connection,
    ),
    "waiting commands": Case(
        "state",
        [rule(rate("user"), action="delay", max_delay="20h")],
        _fill_the_waiting_places,
        command("fstat"),
        "rule=polling",
    ),
    "saved forms": Case(
        "saved_forms",
        [ROWS | {"commands": ["sync"]}],
        _widen_a_saved_client,
        command("sync", "--client=ws", "--args="),
        "rule=rows",
    ),
    "index": Case(
        "checkpoint.index",
        [ROWS | {"commands": ["fstat"]}],
        _widen_a_saved_client,
        command("fstat", "--client=few", "--args=//depot/main/..."),
        "rule=rows",
    ),
    "new depots": Case(
        "admitted.json",
        [DEPOTS | {"max": 2}],
        _add_a_depot,
        lambda site: site.form("depot", "Depot: other\n", "other"),
        "rule=depots",
    ),
    "a new depot of a command": Case(
        "admitted.json",
        [DEPOTS | {"max": 2}, *SCOPES],
        _add_a_depot,
        command("fstat", "--args=//fresh/..."),
        "rule=wide",
    ),
    "new directories": Case(
        "admitted.json",
        [TOPS | {"max": 2}],
        lambda site: site.passes(*submit(1)(site)),
        submit(2),
        "rule=tops",
    ),
    "account": Case(
        "server.json", [TOPS | {"max": 1}], _record_an_account, submit(2), "rule=tops"
    ),
    "trial": Case(
        "trial",
        SCOPES,
        _announce_a_trial,
        command("fstat", "--args=//depot7/...", f"--client={TRIAL}"),
        "rule=wide",
    ),
    "off": Case("off", SCOPES, _end_a_switch_off, FSTAT, "rule=wide"),
    "log": Case("decisions.jsonl", SCOPES, lambda site: _answer(FSTAT(site)), FSTAT, "rule=wide"),
    "turns": Case(
        "turns",
        [TOPS | {"max": 1}],
        lambda site: _answer(submit(1)(site)),
        submit(2),
        "rule=tops",
    ),
    "lines": Case("lines_digest", SCOPES, _know_old_lines, FSTAT, "rule=wide"),
    "old lines": Case("old_lines.jsonl", SCOPES, _know_old_lines, FSTAT, "rule=wide"),
}
