"""Tests of `p4warden replay`: the same verdicts as the gate's, and the printed report.

Also of groups, comparison of two policies, observing rules tried as enforced, and bad input.
"""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from gate.program import judge, policy, rate, rule
from logs.blocks import HEADER, done, start
from p4warden.commands.replay import replay
from p4warden.core.errors import P4WardenError
from p4warden.workbench.logs.reader import LogError, records
from support.whole_checkpoint import whole

YAML = """
version: 1
contact: admins
exemptions:
  - {users: [root], reason: administration, owner: scm}
  - {groups: [build-*], rules: [polling], reason: builds, owner: ci}
rules:
  - name: polling
    rule: limit_command_rate
    mode: enforce
    commands: [fstat]
    limits:
      - {per: [user], allow: 1 per 10s, burst: 2}
"""
ANN = "ann@ann-ws 10.0.0.1 [p4/v93]"
BOB = "bob@bob-ws 10.0.0.2 [UE/v91]"
ROOT = "root@root-ws 10.0.0.3 [p4/v93]"


def run(*words: str | Path, code: int = 0) -> str:
    """Run `p4warden replay`; check its exit code, and return its standard output."""
    result = CliRunner().invoke(replay, [str(word) for word in words], standalone_mode=False)
    if result.exception:
        raise result.exception
    assert result.return_value == code
    return result.stdout


def report(*words: str | Path, code: int = 0) -> dict[str, Any]:
    document = json.loads(run(*words, "--json", code=code))
    assert isinstance(document, dict)
    return document


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    return save(tmp_path / "policy.yaml", YAML)


def save(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def fstats(*seconds: int, sender: str, pid: int, args: str = "//depot/...") -> str:
    """Return p4d log text of fstat commands that start at the given seconds after noon."""
    times = [
        (f"12:{second // 60:02}:{second % 60:02}", pid + n) for n, second in enumerate(seconds)
    ]
    return "".join(start(time, number, f"user-fstat {args}", sender) for time, number in times)


def test_replay_gives_every_command_the_same_verdict_and_rule_as_the_gate(tmp_path: Path) -> None:
    rnd = random.Random(6)  # noqa: S311 - a stream that is the same each time
    limits = [
        rate("user", allow="1 per 3s", burst=2),
        rate("user", "client", "args", allow="1 per 5s", burst=2),
        rate("shape", "ip", allow="2 per 1s", burst=20),
        rate("program", allow="1 per 1s", burst=4, when_pressure="high"),
    ]
    documents = [
        policy(rule(*limits[:2], mode="enforce", action="delay", max_delay="2s")),
        policy(rule(*limits[1:3]), rule(limits[0], name="second", mode="observe")),
        policy(rule(limits[0], mode="observe"), rule(limits[3], name="second")),
    ]
    people = ["ann@ws1 10.0.0.1 [p4/v93]", BOB, "Ann@ws2 10.0.0.9/10.0.0.1 [UE/v91 (brokered)]"]
    query = ["-Ob //depot/a", "//depot/a#3", "x (12) y", "", "//depot/b\n\t second"]
    log, second = tmp_path / "log", 0
    with log.open("w") as file:
        for pid in range(600):
            second += rnd.choice([0, 0, 1, 2])
            time = f"{12 + second // 3600}:{second // 60 % 60:02}:{second % 60:02}"
            command = f"user-{rnd.choice(['fstat', 'fstat', 'files', 'info'])} {rnd.choice(query)}"
            file.write(start(time, pid % 40, command.strip(), rnd.choice(people)))
    command_records = [record for record in records([str(log)]) if record["record"] == "command"]
    events = [
        event(record) for record in sorted(command_records, key=lambda record: record["line"])
    ]
    verdicts = set()
    for document in documents:
        yaml = save(tmp_path / "p.yaml", json.dumps(language(document)))
        run(log, "--policy", yaml, "--each", tmp_path / "each")
        each = [json.loads(line) for line in (tmp_path / "each").read_text().splitlines()]
        fstats = [e for e in events if e["command"] == "user-fstat"]
        answers, _ = judge(document, fstats)
        verdicts |= {answer["verdict"] for answer in answers}
        assert [(line["line"], line["verdict"], line["rule"]) for line in each] == [
            (e["id"], a["verdict"], a["rule"]) for e, a in zip(fstats, answers, strict=True)
        ]
    assert verdicts == {"allow", "observe", "unknown", "delay", "refuse"}


def event(record: dict[str, Any]) -> dict[str, Any]:
    """Convert a command from the log reader to an event for `p4warden-gate judge`."""
    names = {name: record[name] for name in ("user", "client", "ip", "prog", "command")}
    present = {} if "args_left_out" in record else {"args": record["args"]}
    more = {"id": record["line"], "time": record["start"], "pressure": "unknown"}
    return {"event": "command", **names, **present, **more}


def language(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document in a policy file's format, with the rules of a policy.json document."""
    return {"version": 1, "contact": "admins", "rules": document["rules"]}


def test_the_report_counts_refused_commands_by_user_program_client_and_time(
    tmp_path: Path, rules: Path
) -> None:
    text = fstats(0, 0, 1, 2, 30, 31, 32, 33, sender=BOB, pid=10) + fstats(
        0, 5, sender=ROOT, pid=30
    )
    log = save(tmp_path / "log", text + start("12:00:40", 40, "user-files //depot/..."))
    results = report(log, "--policy", rules)
    [polling] = results["rules"]
    assert (results["judged"], polling["judged"]) == (10, 10)
    assert polling["verdicts"] == {"allow": 6, "observe": 0, "unknown": 0, "delay": 0, "refuse": 4}
    noon = 1772452800
    assert (polling["first"], polling["last"], polling["people"]) == (noon + 1, noon + 33, 1)
    [bob] = polling["users"]
    assert bob == {
        "name": "bob",
        "hit": 4,
        "first": noon + 1,
        "last": noon + 33,
        "streak": 2,
        "streak_from": noon + 1,
        "streak_s": 1,
    }
    assert polling["programs"]["top"] == [["UE", 4]]
    assert polling["clients"]["top"] == [["bob-ws", 4]]
    assert polling["quarters"] == {str(noon): 4}

    output = run(log, "--policy", rules)
    assert "polling  enforce      10        4        0         0        0      1" in output
    assert "bob     4  2026-03-02 12:00:01  2 in 1 s, 2026-03-02 12:00:01" in output
    assert "2026-03-02 12:00    4" in output


def test_the_report_counts_hits_by_the_first_class_that_matches(tmp_path: Path) -> None:
    classes = "classes:\n  engines: {programs: [UE]}\n  people: {users: ['*']}\nrules:"
    log = save(
        tmp_path / "log",
        fstats(0, 0, 1, 2, 3, sender=BOB, pid=10) + fstats(0, 5, 6, 7, sender=ANN, pid=30),
    )
    rules = save(tmp_path / "policy.yaml", YAML.replace("\nrules:", f"\n{classes}"))
    [polling] = report(log, "--policy", rules)["rules"]
    assert polling["classes"]["top"] == [["engines", 3], ["people", 2]]
    assert "engines    3\n" in run(log, "--policy", rules)
    rules.write_text(YAML.replace("\nrules:", "\nclasses: {ue: {programs: [UE]}}\nrules:"))
    [polling] = report(log, "--policy", rules)["rules"]
    assert polling["classes"]["top"] == [["ue", 3], ["(no class)", 2]]


@pytest.mark.parametrize("name", ["", "edge=log"])
def test_a_wrong_name_of_the_server_is_refused_by_replay(name: str, rules: Path) -> None:
    with pytest.raises(click.BadParameter, match="write the server's identifier alone"):
        run("log", "--policy", rules, f"--server={name}")


def test_option_server_decides_for_which_rules_a_log_counts(tmp_path: Path) -> None:
    scope = "{servers: [commit-server, main]}"
    rules = save(
        tmp_path / "policy.yaml", YAML.replace("    mode:", f"    for: {scope}\n    mode:")
    )
    log = save(tmp_path / "log", fstats(0, 0, 1, 2, sender=BOB, pid=10))

    def hits(*options: str) -> dict[str, int]:
        [polling] = report(log, "--policy", rules, *options)["rules"]
        return {verdict: count for verdict, count in polling["verdicts"].items() if count}

    assert hits() == {"unknown": 4}
    assert hits("--server=main") == {"allow": 2, "refuse": 2}
    assert hits("--server=other") == {"unknown": 4}
    assert hits("--server=other", "--services=commit-server") == {"allow": 2, "refuse": 2}
    assert hits("--server=other", "--services=edge-server") == {}


def test_a_verdict_that_depends_on_arguments_omitted_from_the_log_is_unknown(
    tmp_path: Path,
) -> None:
    rules = save(tmp_path / "policy.yaml", YAML.replace("per: [user]", "per: [user, args]"))
    log = save(tmp_path / "log", fstats(0, 0, 0, sender=BOB, pid=1, args="//a  (195) //z"))
    [polling] = report(log, "--policy", rules)["rules"]
    assert polling["verdicts"]["unknown"] == 3
    assert polling["people"] == 0
    assert "Unknown verdicts (3) depend on something that is not in the log" in run(
        log, "--policy", rules
    )


def test_group_members_come_from_a_file_or_checkpoint_and_are_noted_if_missing(
    tmp_path: Path, rules: Path
) -> None:
    log = save(tmp_path / "log", fstats(0, 0, 0, sender=BOB, pid=1))
    [polling] = report(log, "--policy", rules)["rules"]
    assert (polling["verdicts"]["refuse"], polling["hang_on_groups"]) == (1, 1)
    assert (
        "Verdicts that depend on a group whose members are exempt: 1.\n"
        "Specify the group's members with --groups or --checkpoint.\n"
    ) in run(log, "--policy", rules)

    for users in ("bob", "[2027-02-30]", "[" * 10_000):
        groups = save(tmp_path / "groups.yaml", f"build-farm: {users}\n")
        with pytest.raises(P4WardenError) as malformed:
            run(log, "--policy", rules, "--groups", groups)
        assert str(malformed.value) == (
            f"{groups} does not have the form of a groups file; write GROUP: [USER, ...] for "
            "each group"
        )
    groups = save(tmp_path / "groups.yaml", "build-farm: [bob, eve]\n")
    [polling] = report(log, "--policy", rules, "--groups", groups)["rules"]
    assert (polling["verdicts"]["refuse"], polling["hang_on_groups"]) == (0, 0)

    records = (
        "@pv@ 9 @db.domain@ @x@ 99 @@ @@ @A text\n@@pv@@ 8 @@db.group@@ @@ann@@ @@build-x@@ 1 @ \n"
        "@pv@ 8 @db.group@ @eve@ @inner@ 1 -2 -2 -2 -2 0 0 0 \n"
        "@pv@ 8 @db.group@ @bob@ @inner@ 5 -2 -2 -2 -2 0 0 0 \n"
        "@pv@ 8 @db.group@ @inner@ @build-farm@ 2 -2 -2 -2 -2 0 0 0 \n"
        "@pv@ 8 @db.group@ @build-farm@ @inner@ 2 -2 -2 -2 -2 0 0 0 \n"
    )
    for text, refusals in (
        (records, 0),
        (records + records.splitlines(keepends=True)[3].replace("pv", "dv"), 1),
    ):
        checkpoint = tmp_path / "checkpoint.gz"
        checkpoint.write_bytes(gzip.compress(whole(text).encode()))
        [polling] = report(log, "--policy", rules, "--checkpoint", checkpoint)["rules"]
        assert polling["verdicts"]["refuse"] == refusals


def test_the_report_has_costs_of_refused_commands_and_waits_they_can_have_caused(
    tmp_path: Path, rules: Path
) -> None:
    text = fstats(0, 0, sender=BOB, pid=1)
    text += start("12:00:00", 3, "user-fstat //depot/...", BOB)
    text += start("12:00:00", 4, "user-submit -i") + start("12:00:20", 5, "user-submit -i")
    use = "--- usage 300+200us 0+0io 0+0net 9k 0pf\n"
    hold = "---   total lock wait+held read/write 0ms+2500ms/0ms+0ms\n"
    wait = "---   total lock wait+held read/write 900ms+0ms/1800ms+9ms\n"
    peek = "---   peek count 2 wait+held total/max 0ms+70ms/0ms+40ms\n"
    text += done("12:00:03", 3, "3") + tracked("12:00:00", 3, "user-fstat //depot/...", BOB)
    text += f"--- lapse 3s\n{use}--- db.rev\n{hold}{peek}\n"
    for time, pid in (("12:00:00", 4), ("12:00:20", 5)):
        text += done(time, pid, "2") + tracked(time, pid, "user-submit -i")
        text += f"--- lapse 2s\n--- db.rev\n{wait}\n"
    results = report(save(tmp_path / "log", text), "--policy", rules)
    savings = results["saved"]
    assert savings == results["rules"][0]["saved"]
    assert (savings["commands"], savings["lapse_s"], savings["processor_s"]) == (1, 3, 0.5)
    assert (savings["held_s"], savings["peeked_s"]) == (2.5, 0.07)
    # Of the lock waits in this log, the refused command can have caused only one: readers do not
    # block each other, and the second submit ran alone.
    assert results["waited_for"] == {"waits": 1, "waited_ms": 1800, "left_out": 0}


def test_the_report_begins_with_the_shares_of_the_run_time(tmp_path: Path, rules: Path) -> None:
    """One tool's changes take 72 % of it, and what the policy stops 3 of 100 seconds."""
    ugs = "eve@eve-ws 10.0.0.9 [UnrealGameSync/1.0.0/v93]"
    text = start("12:00:00", 1, "user-changes -m1 //ws/....cs@<=9", ugs)
    text += start("12:00:00", 2, "user-changes -m1 //ws/....cs@<=8", ugs)
    text += start("12:00:00", 4, "user-submit -i") + start("12:00:00", 5, "user-info")
    text += fstats(0, 0, sender=BOB, pid=10) + start("12:00:00", 3, "user-fstat //depot/...", BOB)
    text += start("12:00:00", 6, "rmt-Journal")
    for pid, lapse in ((1, "60"), (2, "12"), (3, "3"), (4, "24.5"), (5, ".5"), (6, "900")):
        text += done("12:00:59", pid, lapse)
    wait = "---   total lock wait+held read/write 900ms+0ms/1800ms+9ms\n"
    text += tracked("12:00:00", 4, "user-submit -i") + f"--- lapse 24.5s\n--- db.rev\n{wait}\n"
    log = save(tmp_path / "log", text)
    shares = report(log, "--policy", rules)["shares"]
    assert shares["total"] == {"commands": 7, "lapse_s": 100, "rows": None, "waited_s": 2.7}
    groups = [(one["form"], one["program"], one["all"]["lapse_s"]) for one in shares["groups"]]
    assert groups == [
        ("changes -m PATH@<=N", "UnrealGameSync", 72),
        ("submit -i", "p4", 24.5),
        ("fstat PATH", "UE", 3),
        ("info (under 1 s each)", "p4", 0.5),
        ("fstat (under 1 s each)", "UE", 0),
    ]
    stopped = shares["groups"][2]["stopped"]
    assert (stopped["commands"], stopped["lapse_s"]) == (1, 3)
    lines = [" ".join(line.split()) for line in run(log, "--policy", rules).splitlines()]
    place = lines.index("Commands of users: 100.0 s of run time, and 2.7 s of waits for locks, by")
    assert lines[place + 2] == "72 % 72.0 s 2 0.0 s - changes -m PATH@<=N UnrealGameSync -"
    assert lines[place + 4] == "3.0 % 3.0 s 1 0.0 s - fstat PATH UE 100 % by polling"
    assert "3.0 s of run time, 3.0 % of that of all commands (known for 1 of 1)" in lines
    assert place < next(n for n, line in enumerate(lines) if line.startswith("rule "))


def locked(time: str, pid: int, command: str, sender: str, locks: dict[str, str]) -> str:
    """Return p4d log text of a command of two seconds with its total lock times by table."""
    tables = "".join(
        f"--- {table}\n---   total lock wait+held read/write {times}\n"
        for table, times in locks.items()
    )
    end = f"{time[:-2]}{int(time[-2:]) + 2:02}"
    return (
        start(time, pid, command, sender)
        + done(end, pid, "2")
        + f"{tracked(time, pid, command, sender)}--- lapse 2s\n{tables}\n"
    )


def test_read_and_write_waits_together_last_at_most_as_long_as_both_commands_ran(
    tmp_path: Path, rules: Path
) -> None:
    hold_times, waited = {"db.rev": "0ms+0ms/0ms+9000ms"}, {"db.rev": "2500ms+0ms/2900ms+0ms"}
    text = fstats(0, 0, sender=BOB, pid=1)
    text += locked("12:00:00", 3, "user-fstat //depot/...", BOB, hold_times)
    text += locked("12:00:00", 4, "user-submit -i", ANN, waited)
    results = report(save(tmp_path / "log", text), "--policy", rules)
    # The log states whole seconds, so that both commands may have run for three.
    assert results["waited_for"] == {"waits": 1, "waited_ms": 3000, "left_out": 0}


@pytest.mark.parametrize(
    ("client_count", "waited_ms", "left_out"), [(4095, 1800, 0), (4096, 0, 4096)]
)
def test_lock_times_of_too_many_locks_are_left_out(
    tmp_path: Path, rules: Path, client_count: int, waited_ms: int, left_out: int
) -> None:
    clients = [f"clientEntity/c{number}(W)" for number in range(client_count)]
    text = fstats(0, 0, sender=BOB, pid=1)
    text += locked("12:00:00", 3, "user-fstat //depot/...", BOB, {"db.rev": "0ms+0ms/0ms+1900ms"})
    for pid in range(0, client_count, 1000):
        locks = dict.fromkeys(clients[pid : pid + 1000], "0ms+0ms/5ms+0ms")
        text += locked("12:00:00", 10 + pid, "user-sync", ANN, locks)
    text += locked("12:00:00", 4, "user-submit -i", ANN, {"db.rev": "0ms+0ms/1800ms+0ms"})
    words = save(tmp_path / "log", text), "--policy", rules
    assert report(*words)["waited_for"] == {
        "waits": min(waited_ms, 1),
        "waited_ms": waited_ms,
        "left_out": left_out,
    }
    assert ("without 4,096 earlier lock times" in run(*words)) == (left_out > 0)


def tracked(
    time: str, pid: int, command: str, sender: str = "ann@ann-ws 10.0.0.1 [p4/v93]"
) -> str:
    return f"{HEADER}\t2026/03/02 {time} pid {pid} {sender} '{command}'\n"


def test_option_each_replaces_earlier_verdicts_but_does_not_overwrite_a_log(
    tmp_path: Path, rules: Path
) -> None:
    log = save(tmp_path / "log", fstats(0, sender=BOB, pid=1))
    other = save(tmp_path / "log.1", fstats(9, sender=BOB, pid=2))
    with pytest.raises(LogError, match=r"log.1: already exists and does not contain verdicts"):
        run(log, "--policy", rules, "--each", other)
    assert "user-fstat" in other.read_text()
    for _ in range(2):
        run(log, "--policy", rules, "--each", tmp_path / "each")
    assert (tmp_path / "each").read_text().count("\n") == 1


def test_option_compare_counts_pairs_of_verdicts_and_users_newly_refused_or_allowed(
    tmp_path: Path, rules: Path
) -> None:
    log = save(
        tmp_path / "log", fstats(0, 0, 0, sender=BOB, pid=1) + fstats(9, 9, sender=ROOT, pid=9)
    )
    other = save(tmp_path / "other.yaml", YAML.replace("[root]", "[bob]").replace("2}", "1}"))
    compare = report(log, "--policy", rules, "--compare", other)["compare"]
    assert compare["pairs"] == [
        ["allow", "allow", 3],
        ["allow", "refuse", 1],
        ["refuse", "allow", 1],
    ]
    assert compare["newly_stopped"]["top"] == [["root", 1]]
    assert compare["newly_passed"]["top"] == [["bob", 1]]
    output = run(log, "--policy", rules, "--compare", other)
    assert "newly refused: user  hit\nroot                   1" in output


def test_option_enforce_replays_observing_rules_as_if_enforced(tmp_path: Path) -> None:
    rules = save(tmp_path / "policy.yaml", YAML.replace("mode: enforce", "mode: observe"))
    log = save(tmp_path / "log", fstats(0, 0, 0, sender=BOB, pid=1))
    [unchanged_rule] = report(log, "--policy", rules)["rules"]
    [enforced_rule] = report(log, "--policy", rules, "--enforce")["rules"]
    assert (unchanged_rule["verdicts"]["observe"], enforced_rule["verdicts"]["refuse"]) == (1, 1)


def test_option_enforce_also_applies_a_rule_to_users_outside_its_canary(tmp_path: Path) -> None:
    canary = "mode: enforce\n    canary: [{users: [ann]}]"
    rules = save(tmp_path / "policy.yaml", YAML.replace("mode: enforce", canary))
    log = save(tmp_path / "log", fstats(0, 0, 0, sender=BOB, pid=1))
    [unchanged_rule] = report(log, "--policy", rules)["rules"]
    [enforced_rule] = report(log, "--policy", rules, "--enforce")["rules"]
    assert (unchanged_rule["verdicts"]["observe"], enforced_rule["verdicts"]["refuse"]) == (1, 1)


def test_user_names_in_any_case_are_one_user_if_the_server_ignores_case(
    tmp_path: Path, rules: Path
) -> None:
    facts = save(tmp_path / "facts.json", '{"case_sensitive": false}')
    groups = save(tmp_path / "groups.yaml", "devs: [Bob]\n")
    other = BOB.replace("bob", "BOB")
    text = fstats(*range(0, 20, 2), sender=BOB, pid=1)
    log = save(tmp_path / "log", text + fstats(*range(1, 20, 2), sender=other, pid=99))
    words = (log, "--policy", rules, "--facts", facts)
    [polling] = report(*words)["rules"]
    assert [user["name"] for user in polling["users"]] == ["bob"]
    assert "20 requests of 1 user;" in run(*words, "--suggest", "--groups", groups)


def test_option_suggest_finds_the_group_of_a_user_name_that_is_not_ascii(tmp_path: Path) -> None:
    groups = save(tmp_path / "groups.yaml", "devs: [j\u00f6rg]\n")
    log = save(tmp_path / "log", fstats(*range(9), sender="j\u00f6rg@ws 10.0.0.2 [p4/v93]", pid=1))
    assert "name: fstat-rate-devs" in run(log, "--suggest", "--groups", groups)


def test_a_log_given_as_a_checkpoint_and_a_truncated_checkpoint_are_reported(
    tmp_path: Path, rules: Path
) -> None:
    log = save(tmp_path / "log", fstats(0, sender=BOB, pid=1))
    record = "@pv@ 8 @db.group@ @bob@ @build-x@ 1 -2 -2 -2 -2 0 0 0 \n"
    for content, message in (
        (log.read_bytes(), "is not a checkpoint or journal"),
        (gzip.compress(whole(record * 99).encode())[:-12], "the compressed data end early"),
    ):
        (tmp_path / "other").write_bytes(content)
        with pytest.raises(P4WardenError, match=message):
            run(log, "--policy", rules, "--checkpoint", tmp_path / "other")


def test_option_log_is_refused_with_the_correct_command_line() -> None:
    result = CliRunner().invoke(replay, ["--log", "log.1"])
    assert result.exit_code == 2
    assert "specify the logs without --log: p4warden replay log.1" in result.output


def test_markup_and_escape_codes_in_user_names_are_not_interpreted(
    tmp_path: Path, rules: Path
) -> None:
    sender = "[bold]eve@\x1b[31mws 10.0.0.2 [[/red]/v91]"
    output = run(save(tmp_path / "log", fstats(0, 0, 0, sender=sender, pid=1)), "--policy", rules)
    assert "[bold]eve" in output
    assert "\x1b" not in output


def test_replay_rehearses_the_rules_that_need_arguments(tmp_path: Path) -> None:
    text = fstats(0, 1, 2, 3, 4, sender=BOB, pid=1, args="//depot/main/a.c")
    text += start("12:00:06", 9, "user-files //depot/...") + start("12:00:07", 10, "user-have")
    log = save(tmp_path / "log", text)
    policy_file = Path(__file__).parents[2] / "policies" / "observe-arguments.yaml"
    each = tmp_path / "each"
    run(log, "--policy", policy_file, "--each", each)
    answers = [json.loads(line) for line in each.read_text().splitlines()]
    assert [(answer["verdict"], answer["rule"]) for answer in answers] == [
        *[("allow", None)] * 3,
        *[("observe", "repeated-commands")] * 2,
        ("observe", "wide-commands"),
        ("unknown", "many-files"),
    ]
