"""Tests that words which users inject into a trigger line do not change p4warden's own options.

p4d expands the variables of a trigger line before it splits the line into words, so a value with
`" "` in it becomes several words. The options with values that users choose come last, so such
words follow them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gate.program import GO_ON, GateReply, Home, policy, rate, rule
from support.examples import examples

if TYPE_CHECKING:
    from pathlib import Path

USERS = ("user", "client", "version", "prog", "cwd")
OPTIONS = (
    "home=/nonexistent",
    "on-error=deny",
    "triggers-io=1",
    "type=label",
    "form=/etc/passwd",
    "user=p4admin",
    "ip=127.0.0.1",
    "groups=admins",
    "command=user-login",
    "change=1",
    "pressure-cpu=low",
    "pressure-mem=low",
)


@pytest.fixture
def home_with_limit(gate_home: Home) -> Home:
    """Fixture: a home where ann's next fstat under pressure is refused, but no administrator's."""
    admins = {"reason": "administration", "owner": "scm", "for": {"users": ["p4admin"]}}
    group = {"reason": "administration", "owner": "scm", "for": {"groups": ["admins"]}}
    limit = rate("user", when_pressure="high")
    gate_home.activate(policy(rule(limit), exemptions=[admins, group]))
    assert ask(gate_home) == GO_ON
    return gate_home


OWN = (
    "--user=ann",
    "--command=user-fstat",
    "--ip=10.0.0.1",
    "--groups=dev",
    "--pressure-cpu=high",
)


def ask(
    home: Home, *options: str, after: str = "args", injected: tuple[str, ...] = ()
) -> GateReply:
    """Run the gate for ann's fstat, with words injected after an option of the line."""
    _, *words = home.line("command", *OWN, *options)
    at = next(n for n, word in enumerate(words) if word.startswith(f"--{after}="))
    answer = home.run_words(*words[: at + 1], *injected, *words[at + 1 :])
    return GateReply(answer.code, answer.text.partition(" Try again")[0])


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("users", USERS)
def test_an_option_injected_after_a_user_value_is_refused_as_the_users_doing(
    home_with_limit: Home, users: str, option: str
) -> None:
    for injected in ((f"--{option}",), (f"--{option}", f"--{option}", "stray")):
        code, text = ask(home_with_limit, after=users, injected=injected)
        assert code == 1
        assert "cannot be used on this server" in text
    assert {one["ip"] for one in home_with_limit.log()} == {"10.0.0.1"}


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_in_the_arguments_is_an_argument(home_with_limit: Home, option: str) -> None:
    honest = ask(home_with_limit, "--client=ws", "--args=//depot/a")
    assert honest.code == 1
    assert ask(home_with_limit, "--client=ws", f"--args=--{option} --{option}") == honest


@given(st.lists(st.text(st.characters(exclude_characters="\0"), max_size=20), max_size=5))
@settings(
    deadline=None,
    max_examples=examples(50),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_random_injected_words_do_not_lift_a_refusal(
    home_with_limit: Home, words: list[str]
) -> None:
    injected = tuple(word.encode("utf-8", "ignore").decode() for word in words)
    assert ask(home_with_limit, "--client=ws", after="client", injected=injected).code == 1


def test_user_names_that_are_not_utf8_have_separate_rates(gate_home: Home, tmp_path: Path) -> None:
    assert tmp_path.exists()
    gate_home.activate(policy(rule(rate("user"))))
    codes = [gate_home.fstat(user=user).code for user in ("a\udcff", "a\udcfe", "a\udcff")]
    assert codes == [0, 0, 1]
