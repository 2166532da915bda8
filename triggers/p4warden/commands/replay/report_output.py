from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from p4warden.commands.replay import comparison
from p4warden.commands.replay.tables import add_row, new_table
from p4warden.core.plural import amount
from p4warden.history.local_time import time_text
from p4warden.programs.offenders import offenders
from p4warden.workbench.logs.run_time_shares import percent, run_time

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.table import Table

    from p4warden.policy.compiled import Policy
    from p4warden.workbench.logs.run_time_shares import RunTime

Report = dict[str, Any]
_WHO = ("command and form", "program")
VERDICTS = {"refuse": "refused", "delay": "delayed", "observe": "observed", "unknown": "unknown"}


def show(report: Report, policy: Policy, top: int) -> None:
    """Print a replay's report; its lists, such as the users of a rule, have at most `top` rows."""
    # Use a large width, so that no text is cut; the terminal wraps wide lines of the report.
    console = Console(highlight=False, width=1_000)
    _lines(console, _read(report))
    _run_time(console, run_time(report), top)
    console.print(_rules(report, policy))
    _unjudged(console, report, top)
    _observed(console, report)
    _waiting(console, report)
    for rule in report["rules"]:
        if rule["people"]:
            _rule(console, rule, top)
    if report["saved"]["commands"]:
        _lines(console, _saved(report))
    if report["compare"]:
        _compare(console, report["compare"], top)
    estimates = report["compared_estimates"]
    for part in comparison.comparison_parts(estimates, top) if estimates else ():
        console.print(Text(part) if isinstance(part, str) else part)
    _lines(console, _caveats(report))


def _run_time(console: Console, time_spent: RunTime, top: int) -> None:
    if not time_spent.total.lapse_s:
        return
    total = time_spent.total
    waits = f", and {total.waited_s:,.1f} s of waits for locks" if total.waited_s else ""
    _lines(console, [f"\nCommands of users: {total.lapse_s:,.1f} s of run time{waits}, by"])
    table = new_table("share", "run time", "requests", "waits", "rows", *_WHO, "would be stopped")
    for one in time_spent.shares[:top]:
        its, who = one.all, (one.form, one.program or "-")
        rows = "-" if its.rows is None else f"{its.rows:,}"
        costs = (f"{its.lapse_s:,.1f} s", f"{its.commands:,}", f"{its.waited_s:,.1f} s", rows)
        add_row(table, percent(one.part), *costs, *who, one.stopped_text)
    console.print(table)
    console.print("")


def period(report: Report) -> str:
    """Return the time range of a replay's logs as text for people."""
    if report["from"] is None:
        return "an empty period"
    return f"{time_text(report['from'])} to {time_text(report['until'])}"


def _read(report: Report) -> Iterable[str]:
    log_counts = report["read"]
    yield (
        f"{amount(log_counts['commands'], 'command')} in {amount(log_counts['lines'], 'line')} "
        f"({log_counts['bytes'] / 1e6:,.1f} MB), {period(report)}; "
        f"rules judge {report['judged']:,} of them."
    )
    unknown = {
        "lines not understood": log_counts["unknown"],
        "lines about unidentified commands": log_counts["without_command"],
        "commands without their start in the logs": log_counts["without_start"],
        "lines over 16 MiB, cut": log_counts["too_long"],
    }
    parts = ", ".join(f"{count:,} {label}" for label, count in unknown.items() if count)
    if parts:
        yield f"Skipped: {parts}."


def _rules(report: Report, policy: Policy) -> Table:
    table = new_table("rule", "mode", "judged", *VERDICTS.values(), "users")
    rules = {rule["name"]: rule for rule in report["rules"]}
    for rule in policy.rules:
        if rule.name in rules:
            entry = rules[rule.name]
            counts = [entry["verdicts"][verdict] for verdict in VERDICTS]
            add_row(table, rule.name, rule.mode, entry["judged"], *counts, entry["people"])
    return table


def _unjudged(console: Console, report: Report, top: int) -> None:
    for rule in report["rules"]:
        if rule["unknown_forms"]["total"]:
            console.print(Text(f"\n{rule['name']} could not judge:"))
            console.print(_names("command and form", rule["unknown_forms"], top))


def _known_causes(offending: Report) -> Iterable[str]:
    known = offenders()
    for key, count in offending["top"]:
        if key in known:
            yield f"{count:,} of these: {known[key].cause} {known[key].remedy}"


def _observed(console: Console, report: Report) -> None:
    table = new_table("rule that observes", "would delay", "for", "would refuse")
    for rule in report["rules"]:
        _add_stops(table, rule["name"], rule["would"], rule["would"]["delay_s"])
    if table.row_count:
        console.print("\nIf each of these rules alone were enforced, for the same commands:")
        console.print(table)


def _waiting(console: Console, report: Report) -> None:
    """Print estimated delays and refusals if a delayed process sends its next command later."""
    table = new_table("rule that delays", "delayed", "for", "refused")
    for rule in report["rules"]:
        if effect := rule["if_processes_wait"]:
            _add_stops(table, rule["name"], effect["verdicts"], effect["delayed_s"])
    if table.row_count:
        console.print("\nEstimate: a process that is delayed sends its next command later:")
        console.print(table)


def _add_stops(table: Table, rule: str, counts: Report, delay_s: float) -> None:
    if counts["delay"] or counts["refuse"]:
        add_row(table, rule, counts["delay"], f"{delay_s:,.1f} s", counts["refuse"])


def _rule(console: Console, rule: Report, top: int) -> None:
    first, last = time_text(rule["first"]), time_text(rule["last"])
    console.print(Text(f"\n{rule['name']}: first {first}, last {last}", "bold"))
    users = new_table("user", "hit", "first", "longest streak")
    for user in rule["users"][:top]:
        streak = f"{user['streak']:,} in {user['streak_s']:,} s, {time_text(user['streak_from'])}"
        add_row(users, user["name"], user["hit"], time_text(user["first"]), streak)
    console.print(users)
    if rule["classes"]["total"]:
        console.print(_names("class", rule["classes"], top))
    for kind in ("programs", "clients"):
        console.print(_names(kind[:-1], rule[kind], top))
    _lines(console, _known_causes(rule["offenders"]))
    hours = new_table("hour", "hit")
    for hour, count in _hours(rule["quarters"])[:top]:
        add_row(hours, hour, count)
    console.print(hours)


def _names(kind: str, names: Report, top: int) -> Table:
    table = new_table(kind, "hit")
    for name, count in names["top"][:top]:
        add_row(table, name, count)
    rest = names["total"] - sum(count for _, count in names["top"][:top])
    if rest:
        add_row(table, f"and {names['names'] - top:,} more", rest)
    return table


def _hours(quarters: dict[str, int]) -> list[tuple[str, int]]:
    """Sum counts by quarter-hour (seconds since the epoch) to local hours, largest count first."""
    hours: dict[str, int] = {}
    for quarter, count in quarters.items():
        hour = time.strftime("%Y-%m-%d %H:00", time.localtime(int(quarter)))
        hours[hour] = hours.get(hour, 0) + count
    return sorted(hours.items(), key=lambda entry: (-entry[1], entry[0]))


def _saved(report: Report) -> Iterable[str]:
    """Yield text lines on the cost of refused commands: upper bounds of the time saved."""
    cost, wait_costs = report["saved"], report["waited_for"]
    every_s = report["shares"]["total"]["lapse_s"]
    part = f", {percent(cost['lapse_s'] / every_s)} of that of all commands" if every_s else ""
    yield ""
    commands = amount(cost["commands"], "command")
    yield f"Cost of {commands} that would be stopped. This is saved only if"
    yield "users do not repeat them later:"
    total = f"of {cost['commands']:,})"
    yield f"  {cost['lapse_s']:,.1f} s of run time{part} (known for {cost['with_lapse']:,} {total}"
    yield f"  {cost['processor_s']:,.1f} s of CPU time (known for {cost['with_usage']:,} {total}"
    yield f"  {cost['held_s']:,.1f} s of locks held"
    yield f"  {cost['peeked_s']:,.1f} s of reading without locks"
    yield (
        f"  {wait_costs['waited_ms'] / 1e3:,.1f} s of waits of other commands for locks, in "
        f"{wait_costs['waits']:,} waits: for each pair of commands on one table,"
    )
    yield "  at most the time that one waited, the other held its lock, and both ran"
    if wait_costs["left_out"]:
        yield (
            f"  without {wait_costs['left_out']:,} earlier lock times: the log has more tables "
            "and locks than are kept at a time"
        )
    if cost["failed"]:
        yield f"  {cost['failed']:,} of these commands failed anyway"


def _compare(console: Console, compare: Report, top: int) -> None:
    table = new_table("the policy", "the other", "commands")
    for first, second, count in compare["pairs"]:
        if first != second:
            add_row(table, first, second, count)
    console.print("")
    console.print(table if table.row_count else "Both policies give the same verdicts.")
    for title, names in (
        ("newly refused: user", compare["newly_stopped"]),
        ("newly allowed: user", compare["newly_passed"]),
    ):
        if names["total"]:
            console.print(_names(title, names, top))


def _caveats(report: Report) -> Iterable[str]:
    yield ""
    yield "Times in logs are whole seconds: commands of one second count as simultaneous."
    unknown = sum(rule["verdicts"]["unknown"] for rule in report["rules"])
    for first, second, count in (report["compare"] or {}).get("pairs", ()):
        unknown += count if second == "unknown" != first else 0
    if unknown:
        yield f"Unknown verdicts ({unknown:,}) depend on something that is not in the log, such as"
        yield "arguments that p4d omitted or the server's pressure. Those of"
        yield "limit_scanned_rows can also depend on clients and labels that are not in the"
        yield "index."
    hang = sum(rule["hang_on_groups"] for rule in report["rules"])
    if hang:
        yield f"Verdicts that depend on a group whose members are exempt: {hang:,}."
        yield "Specify the group's members with --groups or --checkpoint."


def _lines(console: Console, lines: Iterable[str]) -> None:
    for line in lines:
        console.print(Text(line))
