"""Tests of the ends of running commands, on a model of a server's processes."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

from gate.program import policy
from p4warden.core.server_dates import server_time_s
from p4warden.workbench.running.runaways import MOST_LATE_S, Result, Round
from support.judged import judging_by
from support.process_model import (
    EXEMPTION,
    LEAST_RUNTIME_S,
    RULE,
    Command,
    FreePermission,
    ServerModel,
    play,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.asking.judge import Judge
    from p4warden.workbench.running.processes import Process
    from p4warden.workbench.running.readings import Reading
    from p4warden.workbench.running.runaways import Runaway

HISTORIES = 1_000
NUMBER = 7


class QuietServer(ServerModel):
    """A server on which nothing happens on its own."""

    def _happen(self) -> None:
        return

    @classmethod
    def running(cls, **fields: Any) -> QuietServer:
        draw = random.Random(1)  # noqa: S311 - reproducible test data
        server = cls(draw, delays_s=(0.01,))
        start = {"started_s": server.now_s - 7300, "start_date_s": server.now_s - 7300}
        start["start_date_s"] += server.ahead_s
        one = {"user": "ann", "client": "ws", "host": "pc7", "program": "P4V", "command": "sync"}
        server.commands = {
            NUMBER: Command(**{**one, "args": "//...", "state": "running", **start, **fields})
        }
        return server


@pytest.fixture
def judge() -> Iterator[Judge]:
    with judging_by(policy(RULE, exemptions=[EXEMPTION])) as judge:
        yield judge


def round_of(
    server: ServerModel, judge: Judge, kind: type[FreePermission] = FreePermission
) -> list[Runaway]:
    return list(Round(server, judge, server, kind(server)).runaways())


def test_no_wrong_command_is_ended_in_random_histories(judge: Judge) -> None:
    servers = [play(judge, seed) for seed in range(HISTORIES)]
    assert [
        (seed, server.wrong_ends) for seed, server in enumerate(servers) if server.wrong_ends
    ] == []
    assert sum(server.ends for server in servers) > HISTORIES / 20


def test_a_command_that_runs_too_long_is_marked_and_recorded(judge: Judge) -> None:
    server = QuietServer.running()
    [one] = round_of(server, judge)
    assert one.result is Result.MARKED
    assert server.commands[NUMBER].is_marked
    record = json.loads(one.record or "")
    assert (record["event"], record["verdict"], record["rule"]) == ("running", "refuse", "long")
    assert (record["user"], record["command"], record["limit"]) == ("ann", "sync", "60s")
    assert record["value"] >= 7300
    assert round_of(server, judge) == []


def test_an_observing_rule_ends_nothing_and_records_what_it_would_do() -> None:
    server = QuietServer.running()
    with judging_by(policy({**RULE, "mode": "observe"}, exemptions=[EXEMPTION])) as judge:
        [one] = round_of(server, judge)
    assert one.result is Result.OBSERVED
    assert json.loads(one.record or "")["would"] == "refuse"
    assert server.ends == 0


def test_a_canary_ends_the_commands_of_its_users_only() -> None:
    server = QuietServer.running()
    server.commands[8] = server.commands[NUMBER].__class__(
        **{**vars(server.commands[NUMBER]), "user": "bob"}
    )
    rule = {**RULE, "canary": [{"groups": ["team"]}]}
    with judging_by(policy(rule, exemptions=[EXEMPTION])) as judge:
        results = {one.process.user: one.result for one in round_of(server, judge)}
    assert results == {"ann": Result.OBSERVED, "bob": Result.MARKED}


@pytest.mark.parametrize("user", ["robot", "svc"])
def test_exempt_and_service_users_are_left_alone(judge: Judge, user: str) -> None:
    server = QuietServer.running(user=user)
    assert round_of(server, judge) == []
    assert server.ends == 0


def test_a_command_that_may_be_exempt_by_its_address_is_left_alone() -> None:
    server = QuietServer.running()
    exemption = {**EXEMPTION, "for": {"ips": ["10.0.0.0/8"]}}
    with judging_by(policy(RULE, exemptions=[exemption])) as judge:
        assert round_of(server, judge) == []
    assert server.ends == 0


def test_a_user_whose_type_is_unknown_is_left_alone_with_the_reason(judge: Judge) -> None:
    [one] = round_of(QuietServer.running(user="gone"), judge)
    assert (one.result, one.why) == (
        Result.LEFT,
        "p4 users -a does not tell the type of its user",
    )


def test_a_rule_without_permission_ends_nothing(judge: Judge) -> None:
    class NoPermission(FreePermission):
        def why_not(self, rule: str) -> str | None:
            return f"{rule} may not"

    server = QuietServer.running()
    [one] = round_of(server, judge, NoPermission)
    assert (one.result, one.why, one.record) == (Result.LEFT, "long may not", None)
    assert server.ends == 0


def test_a_dry_run_reads_three_times_and_ends_nothing(judge: Judge) -> None:
    class Dry(FreePermission):
        is_dry = True

    server = QuietServer.running()
    [one] = round_of(server, judge, Dry)
    assert (one.result, one.record) == (Result.DRY, None)
    assert server.ends == 0


def test_a_command_that_changes_before_the_last_reading_is_left(judge: Judge) -> None:
    class Changing(QuietServer):
        readings = 0

        def read(self) -> Reading:
            self.readings += 1
            if self.readings == 3:
                self.commands[NUMBER].start_date_s = self.now_s + self.ahead_s
            return super().read()

    server = Changing.running()
    [one] = round_of(server, judge)
    assert (one.result, one.why) == (Result.LEFT, "it has ended or changed meanwhile")
    assert server.ends == 0


def test_after_a_slow_last_reading_nothing_is_ended(judge: Judge) -> None:
    class Slow(QuietServer):
        readings = 0

        def read(self) -> Reading:
            self.readings += 1
            reading = super().read()
            self.now_s += MOST_LATE_S * (self.readings == 3)
            return reading

    assert MOST_LATE_S < LEAST_RUNTIME_S
    server = Slow.running()
    [one] = round_of(server, judge)
    assert one.why == "the server answers too slowly to be certain of it"
    assert server.ends == 0


def test_the_servers_refusal_is_read_from_its_text(judge: Judge) -> None:
    class Refusing(QuietServer):
        def terminate(self, number: int) -> str:
            return f"** process '{number}' can't terminate, runtime < 10 seconds **"

    [one] = round_of(Refusing.running(), judge)
    assert one.result is Result.LEFT
    assert one.why == "the server said: ** process '7' can't terminate, runtime < 10 seconds **"
    assert one.record is None


def test_two_processes_with_one_number_are_left_alone(judge: Judge) -> None:
    class Twice(QuietServer):
        def rows(self) -> list[Process]:
            return super().rows() * 2

    assert round_of(Twice.running(), judge) == []


@pytest.mark.parametrize(
    ("text", "time_s"),
    [
        ("2026/11/28 08:30:00 +0000 UTC", 1795854600),
        ("2026/11/28 09:30:00 +0100 CET", 1795854600),
        ("2026/11/28 00:30:00 -0800 Pacific Standard Time", 1795854600),
        ("2026/11/28 08:30:00", None),
        ("2026/13/28 08:30:00 +0000 UTC", None),
        ("", None),
    ],
)
def test_the_servers_date_is_read_with_its_zone(text: str, time_s: float | None) -> None:
    assert server_time_s(text) == time_s
