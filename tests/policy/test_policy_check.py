"""Tests of the checks of a policy, such as warnings, and of files that are no policy."""

from __future__ import annotations

import contextlib
import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p4warden.core import time_spans
from p4warden.policy import meaning, source
from p4warden.policy.check import MAX_PROBLEMS, check_file
from p4warden.policy.problems import UnreadablePolicyError
from p4warden.policy.suggested_words import nearest

ROOT = Path(__file__).parents[2]
TODAY = datetime.date(2026, 11, 21)


def problems(path: Path | str) -> list[str]:
    return [problem.line("") for problem in check_file(str(path), TODAY).problems]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", ":1:1: the policy is empty (start it with version: 1)"),
        (b"version: 1\ncontact: \xff\n", ":2:10: this byte is not UTF-8 (save the file as UTF-8)"),
        (b"\xff\xfev\x00", ":1:1: this byte is not UTF-8 (save the file as UTF-8)"),
        (b"[\n" * 100_000, ":21:1: nested more than 20 deep"),
        (b"x" * 50_000_000, ":1:1: the file is over 256 KiB (is this a policy?)"),
    ],
    ids=["empty", "not UTF-8", "UTF-16", "deep", "50 MB"],
)
def test_an_empty_undecodable_deep_or_large_file_is_refused(
    tmp_path: Path, content: bytes, expected: str
) -> None:
    file = tmp_path / "policy.yaml"
    file.write_bytes(content)
    assert problems(file) == [expected]


def test_brackets_without_line_ends_are_too_deep_whatever_the_limit_of_libyaml(
    tmp_path: Path,
) -> None:
    file = tmp_path / "policy.yaml"
    file.write_bytes(b"[" * 200_000)
    assert [line.split(": ")[1] for line in problems(file)] == ["nested more than 20 deep"]


@pytest.mark.parametrize(
    ("tag", "tag_text"),
    [
        ("!!binary", "!!binary"),
        ("!path", "!path"),
        ("!<tag:example.org,2000:x>", "!<tag:example.org,2000:x>"),
    ],
)
def test_a_yaml_tag_is_reported_as_it_is_written(tmp_path: Path, tag: str, tag_text: str) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(f"version: 1\ncontact: {tag} abcd\nrules: []\n")
    message = f"contact: the YAML tag {tag_text} is not allowed here (write a plain value)"
    assert f":2:10: {message}" in problems(file)


def test_a_control_character_is_invalid_yaml(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_bytes(b"version: 1\ncontact: \x00\n")
    [problem] = problems(file)
    assert "invalid YAML" in problem


def test_a_directory_missing_file_or_device_is_refused(tmp_path: Path) -> None:
    assert problems(tmp_path) == [":1:1: this is a directory (specify the policy's YAML file)"]
    assert problems(tmp_path / "none") == [":1:1: cannot be read: No such file or directory"]
    assert problems("/dev/null") == [":1:1: not a regular file (specify the policy's YAML file)"]


def test_a_byte_order_mark_is_not_a_problem(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_bytes(b"\xef\xbb\xbf" + (ROOT / "policies" / "default.yaml").read_bytes())
    assert problems(file) == []


def test_a_policy_with_warnings_about_exemptions_is_accepted(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(
        "version: 1\ncontact: admins\nexemptions:\n"
        "  - {groups: [a], reason: r, owner: o, until: 2026-11-20}\n"
        "  - {groups: [a], reason: r, owner: o, until: 2026-11-21}\n"
        "  - {groups: [a], reason: r, owner: o, until: 2026-12-22}\n"
        "  - {clients: [a], reason: r, owner: o}\n"
        "  - {users: [p4admin], reason: r, owner: o}\n"
        "  - {users: [a], groups: [b], clients: [c], reason: r, owner: o}\n"
        "  - {users: ['svc_*'], programs: [p], reason: r, owner: o}\n"
        "rules:\n  - {name: a, rule: limit_view_scope, mode: enforce}\n"
    )
    result = check_file(str(file), TODAY)
    assert result.policy is not None
    expiry = "this exemption has expired (remove it, or set a later day)"
    freely = "any user can choose this client or program name (add a group as well)"
    forgery = (
        'a user name can be forged: p4d drops quotation marks in pairs, so p4"ad"min arrives as '
        "p4admin (use a group of these users instead)"
    )
    assert [warning.line("") for warning in result.warnings] == [
        f":4:47: exemptions[0].until: {expiry}",
        ":5:47: exemptions[1].until: this exemption expires today",
        f":7:5: exemptions[3]: {freely}",
        f":8:5: exemptions[4]: {forgery}",
        f":10:5: exemptions[6]: {forgery}",
    ]


@pytest.mark.parametrize(
    ("exemption", "mode", "forms", "warning"),
    [
        ({}, "enforce", ["client", "depot"], "this exempts them from new-depots as well"),
        ({"rules": ["new-depots"]}, "enforce", ["depot"], None),
        ({}, "off", ["depot"], None),
        ({}, "enforce", ["client"], None),
        ({}, "enforce", 5, None),
    ],
)
def test_an_exemption_that_covers_an_active_rule_for_depot_forms_gets_a_warning(
    exemption: dict[str, Any], mode: str, forms: object, warning: str | None
) -> None:
    rule = {"name": "new-depots", "rule": "limit_view_scope", "mode": mode, "forms": forms}
    exemptions = [{"groups": ["admins"], "reason": "r", "owner": "o", **exemption}]
    results = [*meaning.warnings({"exemptions": exemptions, "rules": [rule]}, TODAY)]
    assert [problem.path for problem in results] == ([("exemptions", 0)] if warning else [])
    assert all(str(warning) in problem.text for problem in results)


def test_a_command_scope_with_min_depth_0_and_no_depots_gets_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    scope = "rule: limit_command_scope, mode: enforce, commands: [fstat], min_depth: 0"
    file.write_text(
        "version: 1\ncontact: admins\nrules:\n"
        f"  - {{name: a, {scope}}}\n"
        f"  - {{name: b, {scope}, depots: {{thirdparty: 2}}}}\n"
    )
    warning_text = "0 judges only wildcards in a depot's name, such as //... (write 1)"
    assert [warning.line("") for warning in check_file(str(file), TODAY).warnings] == [
        f":4:87: rules[0].min_depth: {warning_text}"
    ]


@given(st.text(max_size=200))
def test_any_text_is_parsed_as_yaml_or_raises_unreadable(text: str) -> None:
    content = text.encode("utf-8", "surrogatepass")
    with contextlib.suppress(UnreadablePolicyError):
        results = source.parse(content)
        assert () in results.values


def test_the_nearest_word_or_a_list_or_the_number_of_words_is_suggested() -> None:
    assert nearest("min_dept", ["min_depth", "forms"]) == "(did you mean min_depth?)"
    assert nearest("xyz", ["min_depth", "forms"]) == "(one of: forms, min_depth)"
    assert nearest("xyz", map(str, range(101))) == "(101 other values are possible)"


def test_no_more_than_200_problems_are_reported(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    rules = "".join(f"  - {{name: r{n}, rule: nothing, mode: on}}\n" for n in range(2000))
    file.write_text(f"version: 1\ncontact: admins\nrules:\n{rules}")
    assert len(problems(file)) == MAX_PROBLEMS


def test_proposed_view_lines_that_another_rule_refuses_get_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(
        "version: 1\ncontact: x\nrules:\n"
        "  - {name: scope, rule: limit_view_scope, mode: observe, depots: {deep: 3, wide: 0}}\n"
        "  - {name: show, rule: suggest_client_view, mode: enforce}\n"
        "  - {name: fine, rule: suggest_client_view, mode: enforce, depots: {deep: 3}}\n"
        "  - {name: idle, rule: suggest_client_view, mode: 'off'}\n"
    )
    assert [warning.line("") for warning in check_file(str(file), TODAY).warnings] == [
        ":5:5: rules[1]: proposes lines 1 deep, and scope requires 3 (write depots: {deep: 3})"
    ]


@pytest.mark.parametrize(
    ("settings", "problem", "warning"),
    [
        (
            "baseline: true, baseline_until: 2026-11-20",
            None,
            "the baseline has ended and has no effect",
        ),
        ("baseline: true, baseline_until: 2026-11-22", None, "the baseline ends in 1 day"),
        ("baseline: true, baseline_until: 2027-11-22", None, None),
        ("baseline: true, baseline_until: 2026-02-30", "this day does not exist", None),
        ("baseline_until: 2027-11-22", "there is no baseline (write baseline: true)", None),
        ("baseline: true, baseline_until: 1.2.2027", "(write baseline_until: 2027-02-01)", None),
    ],
)
def test_an_ended_ending_or_invalid_baseline_is_reported(
    tmp_path: Path, settings: str, problem: str | None, warning: str | None
) -> None:
    file = tmp_path / "policy.yaml"
    rule = f"{{name: a, rule: limit_view_scope, mode: enforce, {settings}}}"
    file.write_text(f"version: 1\ncontact: admins\nrules:\n  - {rule}\n")
    result = check_file(str(file), TODAY)
    assert len(result.problems) == (problem is not None)
    assert len(result.warnings) == (warning is not None)
    report = [*result.problems, *result.warnings]
    assert all("baseline_until" in one.line("") for one in report)
    assert all(str(problem or warning) in one.text for one in report)


def test_commands_and_times_are_accepted_in_other_spellings(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(
        "version: 1\ncontact: admins\nrules:\n  - name: polling\n    rule: limit_command_rate\n"
        "    mode: enforce\n    commands: [user-fstat, files]\n"
        "    limits: [{per: [user], allow: 3000 per minute}]\n    action: delay\n"
        "    max_delay: 1 min\n"
    )
    result = check_file(str(file), TODAY)
    assert result.policy is not None
    [rule] = result.policy.rules
    assert rule.settings["commands"] == ["fstat", "files"]
    assert [limit["allow"] for limit in rule.settings["limits"]] == ["3000/m"]
    assert rule.settings["max_delay"] == "1m"
    assert result.warnings == ()


def test_a_canary_of_a_rule_in_mode_observe_gets_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    rule = "{name: a, rule: limit_view_scope, mode: observe, canary: {users: [ann]}}"
    file.write_text(f"version: 1\ncontact: admins\nrules:\n  - {rule}\n")
    [warning] = check_file(str(file), TODAY).warnings
    assert warning.line("") == (
        ":4:62: rules[0].canary: a canary has no effect with mode: observe "
        "(write mode: enforce, or remove canary)"
    )


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("5m", 300),
        ("1min", 60),
        ("7 days", 7 * 86400),
        ("2 weeks", 14 * 86400),
        ("2w", 14 * 86400),
        ("90 sec", 90),
    ],
)
def test_a_time_span_is_converted_to_seconds(text: str, seconds: int) -> None:
    assert time_spans.seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "5", "0m", "5 fortnights", "-5m", "1.5h", "5  m"])
def test_an_invalid_time_span_is_refused(text: str) -> None:
    with pytest.raises(time_spans.SpanError):
        time_spans.seconds(text)
