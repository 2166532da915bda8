"""Tests of `p4warden-gate judge` with forms and submits, beyond the case files of the rules."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from gate.program import judge
from p4warden.home import baseline_file

if TYPE_CHECKING:
    from pathlib import Path

DEPOTS = {"depot": {"type": "local", "directories": ["main"]}}
OPTIONS = {"rule": "require_client_options", "demands": [{"options": ["compress"]}]}
FEW_DEPOTS = {"rule": "limit_depot_count", "max": 1}
FEW_DIRECTORIES = {"rule": "limit_top_directories", "max": 1}
CLIENT = {"event": "form-save", "type": "client", "name": "ws", "form": "Client:\tws\n"}
DEPOT = {"event": "form-save", "type": "depot", "name": "new", "form": "Depot:\tnew\n"}
SUBMIT = {"event": "change-submit", "change": 12}


def policy(*rules: dict[str, Any]) -> dict[str, Any]:
    named = [{"name": f"rule-{n}", "mode": "enforce", **rule} for n, rule in enumerate(rules)]
    return {"format": 1, "digest": "0" * 64, "contact": "admins", "rules": named}


def answer(rule: dict[str, Any], event: dict[str, Any], *options: str) -> dict[str, Any]:
    (result,), code = judge(policy(rule), [event], *options)
    assert code == 0, result
    return result


def test_a_spec_can_be_given_by_its_fields_instead_of_its_text() -> None:
    event: dict[str, Any] = CLIENT | {"form": None}
    fields = {"client": ["ws"], "options": ["noallwrite compress"]}
    assert answer(OPTIONS, event | {"fields": fields})["verdict"] == "allow"
    assert answer(OPTIONS, event | {"fields": {"client": ["ws"]}})["verdict"] == "refuse"


def test_facts_of_an_event_replace_those_of_the_file_key_by_key(tmp_path: Path) -> None:
    file = tmp_path / "facts.json"
    file.write_text(json.dumps({"case_sensitive": False, "depots": DEPOTS | {"NEW": {}}}))
    of_file = ("--facts", str(file))
    assert answer(FEW_DEPOTS, DEPOT, *of_file)["verdict"] == "allow"
    facts: dict[str, Any] = {"case_sensitive": True}
    refused = answer(FEW_DEPOTS, DEPOT | {"facts": facts}, *of_file)
    assert [refused["findings"][0][key] for key in ("value", "limit")] == [3, 1]
    assert answer(FEW_DEPOTS, DEPOT | {"facts": {"depots": {}}}, *of_file)["verdict"] == "unknown"


@pytest.mark.parametrize(
    ("rule", "event", "why"),
    [
        (OPTIONS, CLIENT | {"form": None}, "form-missing"),
        (FEW_DEPOTS, DEPOT, "depots-unknown"),
        (FEW_DIRECTORIES, SUBMIT, "files-unnamed"),
        (
            FEW_DIRECTORIES,
            SUBMIT | {"files": [{"path": "//depot/a/b", "action": "add"}]},
            "directories-unknown",
        ),
    ],
)
def test_an_answer_says_why_a_rule_cannot_decide(
    rule: dict[str, Any], event: dict[str, Any], why: str
) -> None:
    result = answer(rule, event)
    assert (result["verdict"], result["rule"]) == ("unknown", "rule-0")
    assert result["unknown"] == [{"rule": "rule-0", "why": why}]


def test_an_observing_rule_is_listed_with_the_verdict_that_it_would_give() -> None:
    result = answer(OPTIONS | {"mode": "observe"}, CLIENT)
    assert result["verdict"] == "observe"
    would = {"rule": "rule-0", "verdict": "refuse", "delay_s": None, "retry_after_s": None}
    assert result["would"] == [would]
    warned = answer({"rule": "limit_depot_count", "warn_from": 1}, DEPOT | facts_of(DEPOTS))
    assert (warned["verdict"], warned["would"]) == ("observe", [])


def facts_of(depots: dict[str, Any]) -> dict[str, Any]:
    return {"facts": {"depots": depots}}


def test_a_trial_enforces_observing_rules_and_ignores_exemptions_and_the_baseline() -> None:
    exempt = {"reason": "r", "owner": "o", "for": {"users": ["ann"]}}
    document = policy(OPTIONS | {"mode": "observe", "baseline": True}) | {"exemptions": [exempt]}
    facts = {"baseline": [["rule-0", "Options", "", None]]}
    event = CLIENT | {"user": "ann", "facts": facts}
    answers, _ = judge(document, [event | {"trial": True}, event, event | {"user": "bob"}])
    assert [one["verdict"] for one in answers] == ["refuse", "allow", "observe"]
    assert answers[1]["exemption"] == "r (owner: o)"
    assert answers[2]["detail"] == "Options must include compress (in the baseline)"


@pytest.mark.parametrize("name", ["ws", "WS", "größe", "a\udcffb", 'q"q', "𝄞"])
def test_the_baseline_file_tells_what_a_spec_had_at_the_census(tmp_path: Path, name: str) -> None:
    marks = [["rule-0", "Options", "", None]]
    names = [f"client/{name}", *(f"client/ws-{number:05}" for number in range(2_000))]
    file = tmp_path / baseline_file.FILE_NAME
    file.write_bytes(baseline_file.write(dict.fromkeys(names, marks)))
    event = CLIENT | {"form": "Client:\tx\n"}
    others = ("ws-00000", "ws-01999", "ws-02000", "w", "zz")
    events = [event | {"name": one} for one in (name, *others)]
    rule = OPTIONS | {"baseline": True}
    answers, _ = judge(policy(rule), events, "--baseline", str(file))
    verdicts = [one["verdict"] for one in answers]
    # A quotation mark breaks the trigger line apart, so that the name is uncertain.
    first = "refuse" if '"' in name else "observe"
    assert verdicts == [first, "observe", "observe", "refuse", "refuse", "refuse"]


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("user", 7, "user is not text"),
        ("form", ["x"], "form is not text"),
        ("groups", "dev", "groups is not a list of names"),
        ("files", [{"path": "//a"}], "files is not a list of objects with a path and an action"),
        ("change", 1.5, "change is not text"),
        ("trial", 1, "trial is neither true nor false"),
        ("fields", {"client": "ws"}, "fields is not an object of lists of texts"),
        ("time", "noon", "time is not a number of seconds since the epoch"),
        (
            "facts",
            {"baseline": [1]},
            "facts: baseline is not a list of [rule, place, item, value]",
        ),
        ("facts", {"depots": {"d": {"count": -1}}}, "facts: depots.d: "),
        ("facts", [1], "facts: "),
    ],
)
def test_a_wrong_value_is_an_error_about_its_field(
    field: str, value: object, problem: str
) -> None:
    (result,), code = judge(policy(OPTIONS), [CLIENT | {field: value}])
    assert code == 1
    assert result["error"].startswith(problem)


def test_a_form_that_a_name_broke_apart_is_refused_with_advice_and_shown_unchanged() -> None:
    rules = policy(OPTIONS, {"rule": "suggest_client_options", "wishes": [{"line_end": "unix"}]})
    event = CLIENT | {"user": 'an"n'}
    answers, _ = judge(rules, [event, event | {"event": "form-out"}], "--texts")
    refused, shown = answers
    assert refused["text"].splitlines() == [
        (
            "Your user name (ann) cannot be used on this server, because it contains a quotation "
            "mark (perhaps not shown here), a control character, or text that looks like an "
            "option of p4warden (such as --args=)."
        ),
        "Ask the contact below to rename your user.",
        "Questions: admins",
        "p4warden: rule=rule-0",
    ]
    assert (shown["verdict"], shown["form"]) == ("observe", None)


def test_options_of_megabytes_are_judged_within_the_time_limit() -> None:
    words = " ".join(f"{number:x}" for number in range(600_000))
    form = f"Client:\tws\n\nOptions:\t{words}\n"
    assert answer(OPTIONS, CLIENT | {"form": form})["verdict"] == "refuse"


@pytest.mark.parametrize("number", [900, 1450, 1500, 1600])
def test_a_long_view_gets_lines_whatever_its_length(number: int) -> None:
    rule = {"rule": "limit_view_scope", "forms": ["client"], "max_lines": number + 6}
    others = "".join(f"\t//depot/p{one}/... //ws/p{one}/...\n" for one in range(1, number))
    depots = {
        "depot": {"type": "local", "directories": None},
        "big": {"type": "local", "directories": [f"d{one:02}" for one in range(100)]},
    }
    text = f"Client:\tws\nView:\n\t//big/... //ws/big/...\n{others}"
    found = answer(rule, {**CLIENT, "form": text, "facts": {"depots": depots}})
    assert [len(finding["fix"]) for finding in found["findings"]] == [6]
