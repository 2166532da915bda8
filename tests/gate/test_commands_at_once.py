"""Tests of the rule limit_concurrent_commands with real processes in place of p4d's."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest

from p4warden import cli
from support.kernel_answers import held
from support.small_disks import mounted

from .connections import Answer, Connection, Stay, most_at_once
from .program import Home, policy, rate, rule

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FIRST_LINE = (
    "Your command p4 sync is one too many at once: the limit for all users together is 2, and 2 "
    "run. Try again in 10 seconds."
)


class Site:
    """A home with the rule, and the connections of a test."""

    def __init__(self, folder: Path) -> None:
        self.home = Home(folder)
        self._connections: list[Connection] = []

    def limit(
        self, at_most: int, *per: str, mode: str = "enforce", on_error: str = "allow", **more: Any
    ) -> None:
        rule: dict[str, Any] = {"name": "at-once", "rule": "limit_concurrent_commands"}
        limits = [{"per": list(per), "at_most": at_most}]
        rule |= {"mode": mode, "commands": ["sync"], "limits": limits, **more}
        self.home.activate(policy(rule, on_error=on_error))

    def line(self, user: str = "ann") -> list[str]:
        return self.home.line("command", "--command=user-sync", f"--user={user}")

    def end_line(self) -> list[str]:
        return self.home.line("command-end")

    def connect(self, *lines: list[str], stay_s: float = 0) -> Connection:
        connection = Connection(*lines, stay_s=stay_s)
        self._connections.append(connection)
        return connection

    def running(self, user: str = "ann") -> Connection:
        """Return a connection whose sync was allowed, and that lasts until it is killed."""
        connection = self.connect(self.line(user), stay_s=600)
        assert connection.answer().code == 0
        return connection

    def answer(self, user: str) -> Answer:
        return self.connect(self.line(user)).answer()

    def close(self) -> None:
        for connection in self._connections:
            connection.kill()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path / "home")
    yield site
    site.close()


def test_one_too_many_is_refused_until_a_connection_has_ended(site: Site) -> None:
    site.limit(2)
    first, _ = site.running(), site.running()
    third = site.answer("bob")
    assert third.code == 1
    assert third.text.splitlines()[0] == _FIRST_LINE
    assert "p4warden: rule=at-once limit=2 value=3 retry-after=10" in third.text
    first.kill()
    assert site.answer("bob").code == 0


def test_the_next_command_of_a_connection_takes_the_place_of_its_last(site: Site) -> None:
    site.limit(1)
    one = site.connect(*[site.line()] * 3)
    assert [one.answer().code for _ in range(3)] == [0, 0, 0]


@pytest.mark.parametrize("on_error", ["allow", "deny"])
def test_a_command_whose_end_is_told_keeps_no_place(site: Site, on_error: str) -> None:
    site.limit(1, on_error=on_error)
    one = site.connect(site.line(), site.end_line(), stay_s=600)
    assert [one.answer()[:2] for _ in range(2)] == [(0, "")] * 2
    site.running("bob")
    assert site.answer("eve").code == 1


def test_an_end_changes_nothing_for_other_connections(site: Site) -> None:
    site.limit(1)
    site.running()
    assert site.connect(site.end_line()).answer()[:2] == (0, "")
    shell = ["/bin/sh", "-c", '"$@"; exit $?', "sh", *site.end_line()]
    assert site.connect(shell).answer()[:2] == (0, "")
    assert site.answer("bob").code == 1


def test_an_end_is_allowed_without_a_word_whatever_fails(site: Site) -> None:
    site.limit(1, on_error="deny")
    site.running()
    (site.home.folder / "state").chmod(0o666)
    assert site.connect(site.end_line()).answer()[:2] == (0, "")
    assert "fault" in site.home.log()[-1]


def test_those_that_wait_run_in_turn_and_never_too_many(site: Site) -> None:
    site.limit(2, action="delay", max_delay="30s")
    first = [site.running(), site.running()]
    others = [site.connect(site.line(f"user-{one}"), stay_s=0.2) for one in range(6)]
    for one in others:
        one.waiting_gate()
    for one in first:
        one.kill()
    stays = _stays(others)
    assert len(stays) == 6
    assert most_at_once(stays) <= 2
    assert [one["verdict"] for one in site.home.log()] == ["delay"] * 6


def test_who_waits_for_too_long_is_refused_and_leaves_the_queue(site: Site) -> None:
    site.limit(1, action="delay", max_delay="1s")
    first = site.running()
    second = site.answer("bob")
    assert second.code == 1
    end = "and 1 runs; it waited 1 second in vain. Try again in 10 seconds."
    assert second.text.splitlines()[0].endswith(end)
    first.kill()
    assert site.answer("eve").code == 0


def test_who_waits_is_answered_also_when_the_home_no_longer_answers(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    folder.mkdir()
    with mounted(folder, "mode=700", "ramfs"), contextlib.closing(Site(folder)) as site:
        site.limit(1, action="delay", max_delay="60s", on_error="deny")
        (folder / "decisions.jsonl").touch()
        site.running()
        second = site.connect(site.line("bob"))
        assert second.waits(1)
        with held(folder / "state", folder / "decisions.jsonl"):
            assert second.answer().code == 1


def test_a_decision_took_none_of_the_time_for_which_its_command_waited(site: Site) -> None:
    slow = rule(rate(allow="1 per 2s"), commands=["sync"], action="delay", max_delay="5s")
    kind = {"rule": "limit_concurrent_commands", "commands": ["sync"]}
    limit = {"per": [], "at_most": 1}
    at_once = rule(limit, name="at-once", **kind, action="delay", max_delay="100ms")
    site.home.activate(policy(slow, at_once))
    site.running()
    assert site.answer("bob").code == 1
    [decision] = site.home.log()
    assert decision["rule"] == "at-once"
    assert decision["took_s"] < 1


def test_a_killed_gate_costs_no_place_beyond_its_process(site: Site) -> None:
    site.limit(1, action="delay", max_delay="30s")
    first = site.running()
    killed = site.connect(site.line("bob"), stay_s=600)
    os.kill(killed.waiting_gate(), signal.SIGKILL)
    waiting = site.connect(site.line("eve"))
    waiting.waiting_gate()
    first.kill()
    killed.kill()
    assert waiting.answer().code == 0


def test_an_observing_rule_lets_all_run_and_logs_those_too_many(site: Site) -> None:
    site.limit(1, mode="observe", action="delay", max_delay="30s")
    site.running()
    assert site.answer("bob").code == 0
    assert [(one["verdict"], one["would"]) for one in site.home.log()] == [("observe", "delay")]


def test_under_a_shell_each_is_unknown_and_allowed(site: Site) -> None:
    site.limit(1)
    site.running()
    shell = ["/bin/sh", "-c", '"$@"; exit $?', "sh", *site.line("bob")]
    assert site.connect(shell).answer().code == 0
    assert site.home.counts()["unknown"] == 1


def test_metrics_tell_how_many_run_and_wait(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    site.limit(1, action="delay", max_delay="30s")
    site.running()
    site.connect(site.line("bob")).waiting_gate()
    site.connect(site.line("eve")).waiting_gate()
    assert cli.run(["metrics", "--home", str(site.home.folder)]) == 0
    written = capsys.readouterr().out
    for state, number in (("running", 1), ("waiting", 2)):
        sample = f'p4_warden_commands_at_once{{rule="at-once",state="{state}"}} {number}\n'
        assert sample in written


def test_a_limit_by_user_holds_up_that_user_alone(site: Site) -> None:
    site.limit(1, "user", action="delay", max_delay="30s")
    first = site.running()
    waiting = site.connect(site.line())
    waiting.waiting_gate()
    assert site.answer("bob").code == 0
    first.kill()
    assert waiting.answer().code == 0


@pytest.mark.long
def test_sixty_builds_at_once(site: Site) -> None:
    site.limit(8, action="delay", max_delay="60s")
    began_s = time.monotonic()
    stays = _stays([site.connect(site.line("builds"), stay_s=1) for _ in range(60)])
    assert len(stays) == 60
    assert most_at_once(stays) <= 8
    assert max(stay.ended_s for stay in stays) - began_s < 8 * 1.2  # rounds of a second


def _stays(connections: list[Connection]) -> list[Stay]:
    """Return when those ran that were allowed."""
    answers = [(one, one.answer()) for one in connections]
    return [Stay(answer.time_s, one.end_s()) for one, answer in answers if answer.code == 0]
