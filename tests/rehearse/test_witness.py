"""Tests of example events for enforced rules: the judge refuses each, or a reason is given."""

from __future__ import annotations

import datetime
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from p4warden.asking.gate_program import GateGoneError
from p4warden.core import facts as known_facts
from p4warden.core.records import Depot, Facts
from p4warden.core.server_names import ServerNames
from p4warden.policy.check import check_file
from p4warden.policy.compiled import Policy, compile_policy
from p4warden.policy.judged import judging_by
from p4warden.policy.normal_form import normal
from p4warden.rehearse import known_surroundings
from p4warden.rehearse.witness import RuleWithoutWitness, Surroundings, Witness, search
from support.examples import examples
from support.small_index import small_index

NOW_S = 1_800_000_000.0
BARE = Surroundings(Facts(), None, None, NOW_S)
TODAY = datetime.date(2026, 11, 21)
ROOT = Path(__file__).parents[2]


def policy(*rules: dict[str, Any], exemptions: Any = ()) -> Policy:
    document = {"contact": "admins", "rules": [*rules], "exemptions": [*exemptions]}
    return compile_policy(normal(document), "0" * 64)


def rule(kind: str, **fields: Any) -> dict[str, Any]:
    return {"name": kind, "rule": kind, "mode": "enforce", **fields}


SCOPE = rule("limit_view_scope")
RATE = rule("limit_command_rate", commands=["fstat"], limits=[{"per": ["user"], "allow": "50/s"}])


def only(policy: Policy, around: Surroundings = BARE) -> Witness | RuleWithoutWitness:
    [result] = search(policy, around)
    return result


def explanation(policy: Policy, around: Surroundings = BARE) -> str:
    result = only(policy, around)
    assert isinstance(result, RuleWithoutWitness), result
    return result.reason


def verdict(compiled_policy: Policy, witness: Witness) -> dict[str, Any]:
    start_s = witness.event["time"]
    times_s = (start_s + number / 1000 for number in range(witness.times))
    with judging_by(compiled_policy, known_facts.to_document(Facts())) as judge:
        return [*judge.answers(witness.event | {"time": time_s} for time_s in times_s)][-1]


def test_the_witness_of_limit_view_scope_is_a_client_that_maps_a_whole_depot() -> None:
    results = only(policy(SCOPE))
    assert isinstance(results, Witness)
    assert (results.description, results.sender) == ("a client that maps //depot/...", "someone")


def test_the_witness_of_a_rate_sends_the_same_command_until_the_burst_is_used() -> None:
    results = only(policy(RATE))
    assert isinstance(results, Witness)
    assert results.times == 53  # 50, and two more in the 52 ms since the first
    assert verdict(policy(RATE), results)["verdict"] == "refuse"


@pytest.mark.parametrize(
    ("one", "exemptions", "reason"),
    [
        (rule("limit_view_scope", min_depth=0), (), "min_depth: 0 allows whole depots"),
        (
            SCOPE,
            [{"users": ["*"], "reason": "r", "owner": "o"}],
            "everyone is exempt by exemptions[0], r",
        ),
        (
            SCOPE,
            [{"clients": ["*"], "reason": "r", "owner": "o"}],
            "everyone is exempt by exemptions[0], r",
        ),
        (rule("limit_depot_count", warn_from=3), (), "warn_from only observes (write max"),
        (rule("limit_top_directories", warn_from=3), (), "warn_from only observes (write max"),
        (
            rule("limit_view_scope", canary=[{"groups": ["first"]}]),
            [{"groups": ["first"], "reason": "r", "owner": "o"}],
            "everyone in its canary is exempt by exemptions[0], r",
        ),
    ],
)
def test_a_form_rule_that_refuses_nobody_is_reported_with_the_reason(
    one: dict[str, Any], exemptions: Any, reason: str
) -> None:
    assert reason in explanation(policy(one, exemptions=exemptions))


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (
            {**RATE, "limits": [{"per": ["user"], "allow": "1000000/ms"}]},
            "s stay within its limits (lower allow or burst)",
        ),
        (
            {**RATE, "limits": [{"per": ["user"], "allow": "1/s", "burst": 1000000}]},
            "s stay within its limits (lower allow or burst)",
        ),
        (rule("limit_command_scope", commands=["sync"]), "or counted as unknown: sync"),
        (
            rule("limit_scanned_rows", commands=["fstat"], max_files=1),
            "p4warden index --checkpoint",
        ),
    ],
)
def test_a_command_rule_that_refuses_nothing_is_reported_with_the_reason(
    one: dict[str, Any], reason: str
) -> None:
    assert reason in explanation(policy(one))


def test_a_search_without_the_gate_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python3")
    with pytest.raises(GateGoneError, match="/nowhere/p4warden-gate is missing"):
        explanation(policy(RATE))


def test_a_rate_of_files_has_a_witness_where_an_index_counts_the_files(tmp_path: Path) -> None:
    index = small_index(tmp_path, {"//depot/main": 9}, {"wide": ["//depot/... //wide/..."]})
    limits = [{"per": ["user"], "allow": "1000/m"}]
    budget = {**RATE, "limits": limits, "weight": "files", "unknown_as": 1000}
    results = only(policy(budget), BARE._replace(checkpoint_index=str(index)))
    assert isinstance(results, Witness), results


def test_an_exemption_for_some_users_gives_a_witness_with_another_user_name() -> None:
    exempt = [{"users": ["someone", "j*"], "reason": "r", "owner": "o"}]
    results = only(policy(SCOPE, exemptions=exempt))
    assert isinstance(results, Witness)
    assert results.sender == "zq7"


@pytest.mark.parametrize(
    "excluded",
    [
        {"servers": ["edge-*"]},
        {"servers": ["edge-server"], "clients": ["ci-*"]},
        {"ips": ["10.0.0.0/8"]},
        {"classes": ["far"]},
    ],
)
@pytest.mark.parametrize(
    "one",
    [
        SCOPE,
        RATE,
        rule("limit_files", max=100),
        rule("refuse_commands", commands=["grep"], advice="use find"),
    ],
    ids=lambda one: str(one["rule"]),
)
def test_a_rule_for_all_but_some_servers_clients_or_addresses_has_a_witness(
    one: dict[str, Any], excluded: dict[str, Any]
) -> None:
    document = {
        "contact": "admins",
        "classes": {"far": {"servers": ["edge-*"], "ips": ["10.0.0.0/8"]}},
        "rules": [{**one, "for": {"not": excluded}}],
    }
    compiled = compile_policy(normal(document), "0" * 64)
    results = only(compiled)
    assert isinstance(results, Witness), results
    assert verdict(compiled, results)["verdict"] in ("refuse", "unknown")


def test_an_expired_exemption_does_not_prevent_a_witness() -> None:
    exemptions = [{"users": ["*"], "reason": "r", "owner": "o", "until": "2026-01-01"}]
    assert isinstance(only(policy(SCOPE, exemptions=exemptions)), Witness)


NAMES = ServerNames(("ann", "bob", "svc"), {"build": ("svc",), "first": (), "all": ("ann", "bob")})
SERVER = Surroundings(
    Facts(depots={"main": Depot("stream", ("a", "b"), 2), "s": Depot("spec", (), 0)}),
    NAMES,
    None,
    NOW_S,
)


def test_a_witness_uses_a_depot_and_a_user_of_a_known_server() -> None:
    exempt = [{"users": ["ann"], "reason": "r", "owner": "o"}]
    results = only(policy(SCOPE, exemptions=exempt), SERVER)
    assert isinstance(results, Witness)
    assert (results.description, results.sender) == ("a client that maps //main/...", "bob of all")


@pytest.mark.parametrize(
    ("canary", "reason"),
    [
        ([{"groups": ["first"]}], "no user of the server is in its canary"),
        ([{"groups": ["Build"]}], "no user of the server is in its canary"),
        ([{"users": ["zoe"]}], "no user of the server is in its canary"),
    ],
)
def test_a_canary_without_users_of_the_server_is_reported(
    canary: list[dict[str, Any]], reason: str
) -> None:
    assert reason in explanation(policy({**SCOPE, "canary": canary}), SERVER)


def test_exemptions_for_the_groups_of_all_users_leave_no_witness() -> None:
    exempt = [{"groups": ["build", "al?"], "reason": "r", "owner": "o"}]
    assert "all 3 users of the server is exempt by exemptions[0], r" in explanation(
        policy(SCOPE, exemptions=exempt), SERVER
    )


@pytest.mark.parametrize("file", ["default", "strict", "observe-everything", "observe-arguments"])
def test_every_rule_of_a_shipped_policy_except_many_files_has_a_witness(file: str) -> None:
    report = check_file(str(ROOT / "policies" / f"{file}.yaml"), TODAY)
    assert report.policy
    rules = [one._replace(mode="enforce", canary=None) for one in report.policy.rules]
    results = [*search(report.policy._replace(rules=tuple(rules)), BARE)]
    missing = {one.rule for one in results if isinstance(one, RuleWithoutWitness)}
    assert missing <= {"many-files"}


names = st.sampled_from(["*", "a*", "someone", "zq?", "x", "first", "build"])
patterns = st.lists(names, min_size=1, max_size=2)
depots = st.dictionaries(
    st.sampled_from(["depot", "main", "other"]), st.integers(0, 3), max_size=2
)
limits = st.fixed_dictionaries(
    {
        "per": st.lists(
            st.sampled_from(["user", "client", "args", "shape"]), min_size=1, max_size=2
        ),
        "allow": st.sampled_from(["1/s", "50 per second", "5/h", "1000000/ms", "999/s", "1001/s"]),
    },
    optional={
        "burst": st.sampled_from([1, 3, 100, 100_000]),
        "when_pressure": st.sampled_from(["medium", "high"]),
    },
)
commands = st.lists(
    st.sampled_from(["fstat", "user-files", "sync", "dirs"]), min_size=1, max_size=2
)
selectors = st.fixed_dictionaries(
    {},
    optional={
        "users": patterns,
        "groups": patterns,
        "clients": patterns,
        "programs": patterns,
        "ips": st.sampled_from([["10.*"], ["10.1.0.0/16", "::1"]]),
        "servers": patterns,
        "not": st.fixed_dictionaries({"groups": patterns}),
    },
).filter(bool)
canaries = st.fixed_dictionaries(
    {}, optional={"canary": st.lists(selectors, min_size=1, max_size=2), "for": selectors}
)
generated = st.one_of(
    st.fixed_dictionaries(
        {
            "rule": st.just("limit_view_scope"),
            "min_depth": st.integers(0, 2),
            "depots": depots,
            "forms": st.lists(
                st.sampled_from(["client", "stream", "branch", "label"]), min_size=1
            ),
        },
        optional={
            "max_lines": st.sampled_from([1, 20, 60_000]),
            "max_share": st.sampled_from([0.3, 1]),
            "max_embedded": st.integers(0, 3),
        },
    ),
    st.fixed_dictionaries(
        {"rule": st.just("limit_path_length"), "max_leading": st.integers(10, 50)},
        optional={"submits": st.booleans(), "forms": st.just(["depot"])},
    ),
    st.fixed_dictionaries(
        {"rule": st.just("limit_depot_count")},
        optional={
            "max": st.integers(1, 4),
            "warn_from": st.integers(1, 3),
            "max_by_type": st.just({"stream": 0}),
        },
    ),
    st.fixed_dictionaries(
        {"rule": st.just("limit_top_directories"), "warn_from": st.just(1)},
        optional={"max": st.integers(1, 4), "depots": st.just({"main": 2})},
    ),
    st.fixed_dictionaries(
        {
            "rule": st.just("limit_command_rate"),
            "commands": commands,
            "limits": st.lists(limits, min_size=1, max_size=2),
        },
        optional={"action": st.just("delay"), "max_delay": st.just("2 seconds")},
    ).filter(lambda one: ("action" in one) == ("max_delay" in one)),
    st.fixed_dictionaries(
        {
            "rule": st.just("limit_command_scope"),
            "commands": commands,
            "min_depth": st.integers(0, 2),
            "depots": depots,
        }
    ),
    st.fixed_dictionaries(
        {
            "rule": st.just("block_client_program"),
            "commands": commands,
            "programs": st.lists(
                st.fixed_dictionaries(
                    {"program": st.sampled_from(["P4V", "*x", "?", "Helix P4V/*"])},
                    optional={"below": st.sampled_from(["2019.2", "v86"])},
                ),
                min_size=1,
                max_size=2,
            ),
        }
    ),
    st.fixed_dictionaries(
        {
            "rule": st.just("require_client_options"),
            "demands": st.lists(
                st.fixed_dictionaries(
                    {"options": st.sampled_from([["compress"], ["nocompress", "unlocked"]])},
                    optional={
                        "groups": patterns,
                        "ips": st.just(["10.*"]),
                        "hosts": st.just(["far-?"]),
                        "line_end": st.just("unix"),
                    },
                ),
                min_size=1,
                max_size=2,
            ),
        }
    ),
)


@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.tuples(generated, canaries), min_size=1, max_size=2),
    st.lists(
        st.fixed_dictionaries(
            {"reason": st.just("r"), "owner": st.just("o")},
            optional={"users": patterns, "groups": patterns, "clients": patterns},
        ),
        max_size=2,
    ),
    st.sampled_from([BARE, SERVER]),
)
def test_an_enforced_rule_has_a_witness_or_a_reason(
    canary_rules: list[tuple[dict[str, Any], Any]],
    exemptions: list[dict[str, Any]],
    around: Surroundings,
) -> None:
    rules = [
        {"name": f"r{n}", "mode": "enforce", **one, **selected}
        for n, (one, selected) in enumerate(canary_rules)
    ]
    document = policy(*rules, exemptions=exemptions)
    results = [*search(document, around)]
    assert [one.rule for one in results] == [one["name"] for one in rules]
    for one in results:
        if isinstance(one, Witness):
            assert verdict(document, one)["verdict"] == "refuse"
        else:
            assert one.reason


def test_a_rule_for_a_command_with_the_prefix_user_is_reported_as_without_effect() -> None:
    document = {**RATE, "commands": ["user-fstat"]}
    compiled_policy = compile_policy({"contact": "admins", "rules": [document]}, "0" * 64)
    assert "stops none of the test events" in explanation(compiled_policy)
    observe_policy = compiled_policy._replace(
        rules=(compiled_policy.rules[0]._replace(mode="observe"),)
    )
    [doubt] = known_surroundings.doubts(observe_policy, BARE)
    report = "p4d has no command user-fstat, so the rule would have no effect (write fstat)"
    assert doubt.text == f"limit_command_rate: {report}"


def test_an_exemption_for_everyone_is_reported_on_a_server_with_2000_depots() -> None:
    many = Facts(depots={f"d{n}": Depot("local", (), 0) for n in range(2000)})
    exempt = [{"users": ["*"], "reason": "r", "owner": "o"}]
    report = explanation(policy(SCOPE, exemptions=exempt), Surroundings(many, None, None, NOW_S))
    assert "everyone is exempt by exemptions[0], r" in report
