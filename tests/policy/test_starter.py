"""Tests of the starter policy that `p4warden init` writes, for any names on a server."""

from __future__ import annotations

import datetime
import re
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from p4warden.core.records import Depot, Facts
from p4warden.policy import source
from p4warden.policy.check import check_file
from p4warden.policy.compiled import compile_policy
from p4warden.policy.starter import Survey, starter_policy
from p4warden.programs.known_programs import known_programs
from p4warden.server.survey import survey
from p4warden.table.trigger_lines import Installation, lines_for
from support.examples import examples
from support.fake_p4 import FakeP4
from support.sources import unsourced

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import P4

TODAY = datetime.date(2026, 11, 21)
RULES = ["wide-views", "proposed-views", "long-paths", "depot-count", "polling"]
ABOUT_SUBMITS = ["top-directories"]
WITH_ARGUMENTS = ["wide-commands", "repeated-commands", "large-reads"]
ASKS = "p4warden asks the server while a submit waits"
HOSTILE = 'x", rules: [all]}\n  - {users: ["*'
FACTS = Facts(
    case_sensitive=False,
    depots={
        "depot": Depot("local", ("main", "my docs", "rel"), 3),
        "big": Depot("local", None, 4000),
        "specs": Depot("spec", (), 0),
    },
)
SURVEY = Survey(
    address="ssl:perforce:1666",
    user="p4admin",
    full_name="Paula Admin",
    email="paula@example.com",
    facts=FACTS,
    own_group="admins",
    services=("svc_review", "svc_search"),
    operators=("op",),
    groups={"few": 2, "dev": 1200, "build": 12},
    clients=20417,
)


class FakeServer(FakeP4):
    """Fake P4Python connection to a server with 3 users, a group, a depot and 1,000 clients."""

    def __init__(self) -> None:
        super().__init__(self._encoded_rows)

    def _encoded_rows(self, command: tuple[str | bytes, ...]) -> list[dict[str, Any]]:
        words = tuple(word.decode() if isinstance(word, bytes) else word for word in command)
        rows = self._rows(words)
        if not self.is_raw:
            return [*rows]
        return [{name: value.encode() for name, value in row.items()} for row in rows]

    def _rows(self, command: tuple[str, ...]) -> Iterator[dict[str, str]]:
        users = {"svc_review": "service", "ann": "standard", "op": "operator"}
        answers: dict[tuple[str, ...], list[dict[str, str]]] = {
            ("user", "-o"): [{"FullName": "Paula Admin", "Email": "paula@example.com"}],
            ("users", "-a"): [{"User": name, "Type": kind} for name, kind in users.items()],
            ("groups",): [
                {"user": user, "group": "dev", "isUser": member, "isOwner": owner}
                for user, member, owner in (
                    ("ann", "1", "0"),
                    ("bob", "1", "1"),
                    ("p4admin", "0", "1"),
                )
            ],
            ("clients",): [
                {"client": str(number), "Owner": "ann" if number < 30 else "jenkins"}
                for number in range(1000)
            ],
            ("protects", "-m"): [{"permMax": "super"}],
            ("info",): [{"caseHandling": "insensitive", "ServerID": "commit.1"}],
            ("depots",): [{"name": "depot", "type": "local"}],
            ("dirs", "//depot/*"): [{"dir": "//depot/main"}],
            ("spec", "-o", "client"): [],
        }
        yield from answers[command]


def checked(text: str, folder: Path, *more: str) -> dict[str, Any]:
    """Check the properties that every starter policy must have; return its parsed YAML."""
    file = folder / "starter.yaml"
    file.write_text(text, "utf-8")
    results = check_file(str(file), TODAY)
    assert [p.line("") for p in (*results.problems, *results.warnings)] == []
    assert results.policy is not None
    assert [rule.name for rule in results.policy.rules] == [*RULES, *more]
    assert {rule.mode for rule in results.policy.rules} == {"observe"}
    assert unsourced(text) == []
    document: dict[str, Any] = source.parse(text.encode()).document
    return document


def with_suggestions(text: str) -> str:
    """Return a starter policy's text with its commented-out exemptions made active."""
    content = re.sub(r"(?m)^  #- (?={)", "  - ", text)
    return content.replace("exemptions: []\n", "exemptions:\n")


def with_all_rules(text: str) -> str:
    """Return a starter policy's text with its commented-out rules made active."""
    return re.sub(r"(?m)^  #(- name|  )", r"  \1", text)


def test_the_starter_policy_states_the_facts_of_the_server(tmp_path: Path) -> None:
    text = starter_policy(SURVEY, TODAY)
    document = checked(text, tmp_path)
    assert document["contact"] == "Paula Admin <paula@example.com>"
    [own] = document["exemptions"]
    assert (own["groups"], own["rules"], own["owner"]) == (["admins"], ["polling"], "p4admin")
    assert "put them into a group first: svc_review, svc_search\n" in text
    assert "on 2026-11-21 for the server ssl:perforce:1666:\n# 3 depots, 20,417 clients" in text
    assert "# Names in this policy are compared without case, as on the server." in text
    assert "  # //big (local): 4,000 top directories\n  # //depot (local): 3 top direc" in text
    assert "3 top directories: main, my docs, rel\n" in text
    depots = document["rules"][3]
    assert (depots["max"], depots["warn_from"]) == (13, 8)
    all_rules = checked(with_all_rules(text), tmp_path, *ABOUT_SUBMITS, *WITH_ARGUMENTS)["rules"]
    directories = next(rule for rule in all_rules if rule["name"] == "top-directories")
    assert (directories["max"], directories["warn_from"]) == (5000, 4500)


def test_the_starter_policy_names_the_owners_of_groups_in_its_exemptions(tmp_path: Path) -> None:
    owners = {"admins": ("paula", "ann"), "dev": ("bob",), "few": (), "other": ("mallory",)}
    text = starter_policy(SURVEY._replace(group_owners=owners), TODAY)
    checked(text, tmp_path)
    assert "  # owned by paula and ann, who may change the users\n  - {groups: [" in text
    assert "  # users: 1200; owned by bob, who may change the users\n  #- {groups: [" in text
    assert "  # users: 2\n  #- {groups: [" in text
    assert "mallory" not in text


def test_the_starter_policy_lets_no_submit_start_a_program(tmp_path: Path) -> None:
    text = starter_policy(SURVEY, TODAY)
    assert "submit" not in lines(checked(text, tmp_path))
    of_paths = text.replace("    submits: false\n", "    submits: true\n")
    assert "change-submit" in lines(checked(of_paths, tmp_path))
    of_directories = with_all_rules(text.partition("  # The rules below need")[0])
    assert "change-submit" in lines(checked(of_directories, tmp_path, *ABOUT_SUBMITS))


def test_an_account_in_no_group_is_exempt_once_a_group_is_made_for_it(tmp_path: Path) -> None:
    text = starter_policy(SURVEY._replace(own_group=""), TODAY)
    assert checked(text, tmp_path)["exemptions"] == []
    text = text.replace("exemptions: []", "exemptions:").replace(
        '#- {groups: ["p4w', '- {groups: ["p4w'
    )
    [own] = checked(text, tmp_path)["exemptions"]
    assert (own["groups"], own["rules"], own["reason"]) == (["p4warden"], ["polling"], ASKS)


def test_the_suggested_exemptions_of_the_starter_policy_are_valid(tmp_path: Path) -> None:
    document = checked(with_suggestions(starter_policy(SURVEY, TODAY)), tmp_path)
    names = [entry["groups"] for entry in document["exemptions"][1:]]
    groups = [["dev"], ["build"], ["few"]]
    assert names[:6] == [["perforce-admins"], ["service-users"], ["operators"], *groups]
    assert ["swarm-users"] in names[6:]
    assert document["exemptions"][1]["owner"] == "p4admin"


@pytest.mark.parametrize(
    ("files", "most"),
    [
        (None, 2_000_000),
        ([], 2_000_000),
        ([*range(1, 99), 70_000, 9_000_000], 140_000),
        ([5], 10_000),
    ],
)
def test_the_rules_that_need_arguments_are_valid_once_their_comment_signs_are_removed(
    tmp_path: Path, files: list[int] | None, most: int
) -> None:
    text = starter_policy(SURVEY, TODAY, files)
    document = checked(text, tmp_path)
    assert "%args%" not in lines(document)
    document = checked(with_all_rules(text), tmp_path, *ABOUT_SUBMITS, *WITH_ARGUMENTS)
    assert document["rules"][-1]["max_files"] == most
    assert "%args%" in lines(document)


def lines(document: dict[str, Any]) -> str:
    place = Installation("/opt/gate", "/var/lib/p4warden")
    return "".join(line.text() for line in lines_for(compile_policy(document, ""), place))


def test_a_server_with_little_information_gets_a_valid_starter_policy(tmp_path: Path) -> None:
    little = Survey("1666", "*", "", "", Facts())
    document = checked(starter_policy(little, TODAY), tmp_path)
    assert document["contact"] == "your Perforce administrators"


@pytest.mark.parametrize(
    ("full_name", "contact"),
    [
        (" Paula Admin ", "Paula Admin <paula@example.com>"),
        ("", "paula@example.com"),
        (" ", "paula@example.com"),
        ("P" * 180, f"{'P' * 180} <paula@example.com>"),
        ("P" * 181, "paula@example.com"),
    ],
)
def test_the_contact_of_the_starter_policy_has_the_whole_address(
    tmp_path: Path, full_name: str, contact: str
) -> None:
    text = starter_policy(SURVEY._replace(full_name=full_name), TODAY)
    assert checked(text, tmp_path)["contact"] == contact


def test_a_too_long_address_is_left_out_of_the_starter_policy(tmp_path: Path) -> None:
    email = "p" * 190 + "@example.com"
    text = starter_policy(SURVEY._replace(email=email), TODAY)
    assert checked(text, tmp_path)["contact"] == "your Perforce administrators"


names = st.text(max_size=30) | st.text("\\\"'{}[]#:\n,*&!|>%@` -", max_size=12) | st.just(HOSTILE)
depots = st.builds(
    lambda kind, directories: Depot(kind, tuple(directories), len(directories)),
    names,
    st.lists(names, max_size=3),
)
surveys = st.builds(
    Survey,
    address=names,
    user=names,
    full_name=names,
    email=names,
    own_group=names,
    facts=st.builds(Facts, st.booleans(), st.dictionaries(names, depots, max_size=3)),
    services=st.lists(names, max_size=3).map(tuple),
    operators=st.lists(names, max_size=3).map(tuple),
    groups=st.dictionaries(names, st.integers(0, 10**6), max_size=3),
    group_owners=st.dictionaries(names, st.lists(names, min_size=1, max_size=3), max_size=3),
    clients=st.integers(0, 10**7),
    owners=st.dictionaries(names, st.integers(0, 99), max_size=3),
)


@settings(max_examples=examples(60), deadline=None)
@given(surveys)
@example(SURVEY._replace(user=HOSTILE, full_name=HOSTILE, email=HOSTILE, services=(HOSTILE,)))
@example(SURVEY._replace(full_name="", email=" "))
@example(SURVEY._replace(group_owners={"admins": (HOSTILE,), "dev": ("a\nexemptions:", HOSTILE)}))
@example(
    SURVEY._replace(services=("\udce9t\udce9", "e\u0301t\u00e9", "\U0001f600", "\x85", "a" * 300))
)
def test_names_on_a_server_add_no_exemptions_to_the_starter_policy(
    tmp_path_factory: pytest.TempPathFactory, survey: Survey
) -> None:
    folder = tmp_path_factory.getbasetemp()
    document = checked(with_suggestions(starter_policy(survey, TODAY)), folder)
    others = [entry for entry in document["exemptions"] if entry["reason"] != ASKS]
    [own] = [entry for entry in document["exemptions"] if entry["reason"] == ASKS]
    assert own["groups"] in ([survey.own_group], ["p4warden"])
    query = [name for entry in others for name in entry["groups"]]
    programs = {g for p in known_programs() for e in p.exemptions.values() for g in e["groups"]}
    present = {"perforce-admins", "service-users", "operators"} | programs
    assert {*query} <= present | {*survey.groups}
    assert not [name for name in query if "*" in name or "?" in name]
    of_builds = [entry["rules"] for entry in others if not present & {*entry["groups"]}]
    assert of_builds == [["wide-views"]] * len(of_builds)


def test_the_survey_collects_the_server_facts_for_the_starter_policy() -> None:
    results = survey(cast("P4.P4", FakeServer()))
    assert results == Survey(
        address="ssl:perforce:1666",
        user="p4admin",
        full_name="Paula Admin",
        email="paula@example.com",
        facts=Facts(
            case_sensitive=False,
            depots={"depot": Depot("local", ("main",), 1)},
            server_id="commit.1",
        ),
        services=("svc_review",),
        operators=("op",),
        groups={"dev": 2},
        group_owners={"dev": ("bob", "p4admin")},
        clients=1000,
        owners={"jenkins": 970, "ann": 30},
    )


def test_the_starter_policy_has_a_class_of_service_users_and_busy_accounts(tmp_path: Path) -> None:
    owners = {"ann": 19, "p4admin": 90, "ci*": 80, "jenkins": 20}
    text = starter_policy(SURVEY._replace(owners=owners), TODAY)
    names = ["svc_review", "svc_search", "jenkins"]
    assert checked(text, tmp_path)["classes"] == {"builds": {"users": names}}
    text = starter_policy(SURVEY._replace(services=()), TODAY)
    assert "classes" not in checked(text, tmp_path)


def test_the_longest_path_of_the_starter_policy_is_that_of_the_server() -> None:
    text = starter_policy(SURVEY, TODAY, None, [(90, 60), (187, 39), (250, 1)])
    assert "\n  # max_leading 200: 99% of this server's paths keep 187 bytes. docs/" in text
    assert "\n    max_leading: 200\n" in text


def test_without_an_index_the_starter_policy_allows_the_paths_of_unreal() -> None:
    text = starter_policy(SURVEY, TODAY)
    assert "\n  # max_leading 240: our choice: Unreal's paths have 130 to 210 bytes. docs/" in text
    assert "\n    max_leading: 240\n" in text


def test_the_starter_policy_of_a_server_with_short_paths_has_room_for_longer_ones() -> None:
    assert "\n    max_leading: 100\n" in starter_policy(SURVEY, TODAY, None, [(30, 900)])
