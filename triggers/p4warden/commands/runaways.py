"""One round of `p4warden running --enforce`."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from p4warden.asking.judge import judging
from p4warden.commands.options import refuse_other_folder, running_policy
from p4warden.core import facts
from p4warden.core.plural import amount
from p4warden.core.printable import cut, printable
from p4warden.home import decision_log, ended_commands, locks, off_mark, trusted_files, usable
from p4warden.home.ended_commands import Observed, ServerClock
from p4warden.policy import compiled
from p4warden.prove.terminated import problem_of
from p4warden.server.connection import Address, connected
from p4warden.server.questions import ask
from p4warden.workbench.running.monitor import RunningServer, SteadyClock
from p4warden.workbench.running.runaways import Result, Round

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from p4warden.asking.judge import Judge
    from p4warden.policy.compiled import Policy
    from p4warden.workbench.running.readings import Reading
    from p4warden.workbench.running.runaways import Runaway

KIND = "limit_running_time"
_BOOT = "/proc/sys/kernel/random/boot_id"


def enforce(address: Address, home: str, proof: str | None, *, is_dry: bool) -> int:
    """Judge the running commands once, end those that rules refuse, and tell of each."""
    refuse_other_folder(home)
    usable.refuse_unusable(home)
    policy = running_policy(home)
    if not any(rule.rule == KIND and rule.mode != "off" for rule in policy.rules):
        click.echo(f"the running policy has no rule {KIND}")
        return 0
    lock = contextlib.nullcontext() if is_dry else locks.file_lock(home, ended_commands.LOCK)
    with lock, connected(address) as p4, _judging(home) as judge:
        version = str(ask(p4, "info")[0].get("serverVersion", ""))
        permission = HomePermission(
            home, policy, _proof_problem(home, proof, version), is_dry=is_dry
        )
        clock = SteadyClock()
        found = Round(RunningServer(p4, clock), judge, clock, permission).runaways()
        runaways = []
        for one in found:
            click.echo(_words(one))
            runaways.append(one)
            if not is_dry:
                _log(home, one)
        if not is_dry:
            _keep_observed(home, runaways)
    click.echo(_sum(runaways))
    return int(permission.lacks_proof)


class HomePermission:
    """What a home folder and its policy say against the end of a command."""

    def __init__(
        self, home: str, policy: Policy, proof_problem: str | None, *, is_dry: bool
    ) -> None:
        self._home, self._proof_problem, self.is_dry = home, proof_problem, is_dry
        self._dry_ends: Counter[str] = Counter()
        rules = [rule for rule in policy.rules if rule.rule == KIND]
        self._most = {rule.name: int(rule.settings["max_ends_per_hour"]) for rule in rules}
        self.lacks_proof = False

    def why_not(self, rule: str) -> str | None:
        if off_mark.is_off(self._home, time.time_ns()):
            return "p4warden is switched off (p4warden on)"
        if trusted_files.has(self._home, ended_commands.STOP):
            return f"{self._home}/{ended_commands.STOP} is there (remove it)"
        if self._proof_problem is not None and not self.is_dry:
            self.lacks_proof = True
            return self._proof_problem
        ends = ended_commands.read(self._home).in_last_hour(rule, time.time())
        ends += self._dry_ends[rule]
        if ends >= self._most[rule]:
            return f"{rule} ended {amount(ends, 'command')} in the last hour, and may end no more"
        return None

    def clock_set_s(self, reading: Reading) -> float | None:
        commands = ended_commands.read(self._home)
        boot = Path(_BOOT).read_text("ascii").strip()
        old = commands.clock or ServerClock(boot, reading.time_s - reading.steady_s)
        clock = old.at(boot, reading.time_s, reading.steady_s)
        if not self.is_dry:
            ended_commands.write(self._home, commands._replace(clock=clock))
        return clock.set_s

    def count(self, rule: str) -> None:
        if self.is_dry:
            self._dry_ends[rule] += 1
            return
        commands = ended_commands.read(self._home)
        ended_commands.write(self._home, commands.with_end(rule, time.time()))


def _judging(home: str) -> AbstractContextManager[Judge]:
    policy, known = (str(Path(home, name)) for name in (compiled.FILE_NAME, facts.FILE_NAME))
    has_facts = trusted_files.has(home, facts.FILE_NAME)
    return judging(policy, known if has_facts else None)


def _proof_problem(home: str, proof: str | None, version: str) -> str | None:
    file = proof or str(Path(home, ended_commands.PROOF))
    problem = problem_of(file, version)
    advice = f"p4warden prove --p4d FILE --json {file}, with the server's p4d"
    return f"{file}: {problem} ({advice})" if problem else None


def _words(one: Runaway) -> str:
    process = one.process
    names = f"{process.number} of {cut(process.user)} (client {cut(process.client or '')})"
    detail = one.detail or f"{cut(process.command)} has perhaps been running for too long"
    why = f": {printable(one.why)}" if one.why else ""
    return f"{names}: {detail}; {one.rule}: {one.result.value}{why}"


def _log(home: str, one: Runaway) -> None:
    """Log an observed command once for each rule, though every round finds it again."""
    is_known = one.result is Result.OBSERVED and ended_commands.read(home).has_observed(
        _start(one)
    )
    if one.record is not None and not is_known:
        decision_log.append(home, one.record)


def _keep_observed(home: str, runaways: Iterable[Runaway]) -> None:
    observed = tuple(_start(one) for one in runaways if one.result is Result.OBSERVED)
    ended_commands.write(home, ended_commands.read(home)._replace(observed=observed))


def _start(one: Runaway) -> Observed:
    age_s = one.process.age_s or 0
    return Observed(one.rule, one.process.number, time.time() - age_s)


def _sum(runaways: list[Runaway]) -> str:
    numbers = {result: sum(one.result is result for one in runaways) for result in Result}
    words = [f"{number} {result.value}" for result, number in numbers.items() if number]
    return f"{amount(len(runaways), 'command')} too long{': ' if words else ''}{', '.join(words)}"
