from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.printable import cut
from p4warden.programs.offenders import offenders
from p4warden.reports.figures import COUNTED_VERDICTS, OBSERVED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from p4warden.reports.figures import Figures

MOST_NAMES = 5
MOST_VALUES = 2
_ABOUT_SUBJECTS = (
    "Whom each rule concerned, with what. Most of them can change what they do; for the others an "
    "exemption can name users, groups, programs and clients, no "
    "addresses; users choose the names of programs and clients."
)
_ABOUT_OBSERVED = (
    "Decisions of rules that observe, each as if it alone were enforced for all users. Rules that "
    "suggest another form refuse nothing and are left out. A command that would wait for others "
    "to end may be refused after its wait."
)
_ABOUT_RULES = (
    "Decisions of each rule, the longest delay of those with a log line of their own, and the "
    "number of users affected."
)
_FIELDS = {
    "what": "Command or form",
    "spec_or_client": "Spec or client",
    "prog": "Program",
    "ip": "Address",
}
_WORDS = {"refuse": "Refused", "delay": "Delayed", "observe": "Observed", "unknown": "Unknown"}


class Names(NamedTuple):
    frequent_names: tuple[str, ...]  # each with its number of decisions
    other_names: tuple[str, ...] = ()  # a page can unfold them
    other_count: int = 0  # at least so many

    def __str__(self) -> str:
        """As a terminal shows the cell."""
        more = f" and {number(self.other_count)} more" if self.other_count else ""
        return ", ".join(self.frequent_names) + more


class Lines(str):
    """Lines to copy, such as view lines; the HTML page breaks no word in them."""

    __slots__ = ()


Text = str | Names


class Table(NamedTuple):
    name: str  # by which a page selects its chart
    title: str
    note: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Text]]
    numbers: frozenset[int]  # columns to align right
    omitted_count: int = 0  # further rows


def tables(
    figures: Figures, modes: Mapping[str, str], proposing_rules: frozenset[str] = frozenset()
) -> list[Table]:
    """Return all tables; one without data has no rows.

    `modes` are the rules' present ones, empty if the policy cannot be read; `proposing_rules` are
    those of the policy that refuse nothing.
    """
    return [
        _rules(figures, modes),
        _days(figures),
        _offenders(figures),
        _hurt(figures, {rule: modes[rule] for rule in modes.keys() - proposing_rules}),
        _subjects(figures),
        _groups(
            "classes",
            "Classes at each rule",
            "By rule and the first of the policy's classes that matched; lines that stand for "
            "several users state none.",
            figures,
        ),
        _groups(
            "unusual",
            "Unusual commands",
            "By rule, user and program: commands that can be read in several ways, of which the "
            "rule allows only some.",
            figures,
        ),
        _groups(
            "unjudged",
            "Commands that no rule could judge",
            "Allowed, by rule, command and form; docs/command-bounds.md says why.",
            figures,
        ),
        _offenders_known(figures),
        _costs(figures),
        _groups(
            "exemptions",
            "Exemptions used",
            "Forms and submits that an exemption allowed. Exempt commands are counted among all "
            "allowed commands, without a line of their own.",
            figures,
        ),
        _groups(
            "faults",
            "Faults",
            "Failures of p4warden itself, and the answer to p4d.",
            figures,
        ),
        _groups(
            "troubles",
            "Queries without an answer",
            "The server did not answer, has no facts yet, or has more files than are "
            "judged; judged by what is known.",
            figures,
        ),
    ]


def moment(time_s: float | None) -> str:
    """Convert seconds since the epoch to local time; `never` for None."""
    if time_s is None:
        return "never"
    return datetime.datetime.fromtimestamp(time_s).strftime("%Y-%m-%d %H:%M")  # noqa: DTZ006


def number(value: int) -> str:
    """Return `12,345`."""
    return f"{value:,}"


def lapse(lapse_ns: float | None) -> str:
    """Convert nanoseconds: seconds from 10 s on, otherwise milliseconds; `-` for None."""
    if lapse_ns is None:
        return "-"
    ms = lapse_ns / 10**6
    return f"{ms / 1000:,.1f} s" if ms >= 10_000 else f"{ms:,.1f} ms"  # noqa: PLR2004 - as said


def _rules(figures: Figures, modes: Mapping[str, str]) -> Table:
    return _table(
        ("rules", "Rules", _ABOUT_RULES),
        ("Rule", "Mode now", *_WORDS.values(), "Longest wait", "Users", "Most affected"),
        [
            (
                cut(row.name),
                modes.get(row.name, "gone" if modes else "not known"),
                *_verdicts(row.verdicts),
                lapse(row.longest_wait_ns) if row.longest_wait_ns else "0",
                number(row.others),
                cut(row.most_frequent),
            )
            for row in figures.rules
        ],
        range(2, 8),
        figures.omitted,
    )


def _days(figures: Figures) -> Table:
    return _table(
        ("days", "Days", "The newest first, in the server's local time."),
        ("Day", *_WORDS.values()),
        [(row.name, *_verdicts(row.verdicts)) for row in figures.days],
        range(1, 5),
        figures.omitted,
    )


def _offenders(figures: Figures) -> Table:
    return _table(
        ("people", "Users stopped", "Users refused or delayed most often."),
        ("User", *_WORDS.values(), "Most by rule"),
        [
            (cut(row.name), *_verdicts(row.verdicts), cut(row.most_frequent))
            for row in figures.people
        ],
        range(1, 5),
        figures.omitted,
    )


def _hurt(figures: Figures, modes: Mapping[str, str]) -> Table:
    rows = figures.observed
    observing = {rule for rule, mode in modes.items() if mode == "observe"}
    quiet = sorted(observing - {row.name for row in rows})
    rows_of_text: list[tuple[Text, ...]] = [
        (
            cut(row.name),
            number(row.others),
            number(row.of(OBSERVED)),
            number(row.would_delay),
            number(row.would_refuse),
            _most_frequent(row.most, MOST_NAMES, row.others),
        )
        for row in rows
    ]
    return _table(
        ("observed", "Affected if enforced", _ABOUT_OBSERVED),
        ("Rule", "Users", "Decisions", "Would wait", "Would be refused", "Most affected"),
        [*rows_of_text, *((cut(rule), "0", "0", "0", "0", "none") for rule in quiet)],
        range(1, 5),
        figures.omitted,
    )


def _subjects(figures: Figures) -> Table:
    return _table(
        ("subjects", "Users at each rule", _ABOUT_SUBJECTS),
        ("User", "Rule", *_WORDS.values(), *_FIELDS.values(), "First", "Last"),
        [
            (
                cut(one.user),
                cut(one.rule),
                *_verdicts(one.verdicts),
                *(_most_frequent(one.values[field], MOST_VALUES) for field in _FIELDS),
                moment(one.first_s),
                moment(one.last_s),
            )
            for one in figures.subjects
        ],
        range(2, 6),
        figures.omitted,
    )


def _costs(figures: Figures) -> Table:
    return _table(
        (
            "costs",
            "Decision time",
            "Of decisions with a log line of their own; delays by rules not included.",
        ),
        ("Event", "Decisions", "Median", "95%", "Max"),
        [
            (
                cut(cost.event),
                number(cost.decisions),
                *map(lapse, (cost.median_ns, cost.high_ns, cost.max_ns)),
            )
            for cost in figures.costs
        ],
        range(1, 5),
        figures.omitted,
    )


def _most_frequent(counts: Mapping[str, int], most: int, of: int = 0) -> Names:
    """Name each; if there are more than `counts` has, `of` is their number."""
    ranking = sorted(counts, key=lambda name: (-counts[name], name))
    rows_of_text = tuple(f"{cut(name)} x {number(counts[name])}" for name in ranking)
    return Names(rows_of_text[:most], rows_of_text[most:], max(0, max(of, len(counts)) - most))


def _groups(name: str, title: str, note: str, figures: Figures) -> Table:
    return _table(
        (name, title, note),
        ("What", "Times", "Users", "First", "Last"),
        [
            (
                cut(group.name),
                number(group.times),
                number(group.users),
                moment(group.first_s),
                moment(group.last_s),
            )
            for group in getattr(figures, name)
        ],
        range(1, 3),
        figures.omitted,
    )


def _offenders_known(figures: Figures) -> Table:
    known = offenders()
    groups = [(known.get(group.name), group) for group in figures.offenders]
    return _table(
        ("known", "Known causes", "Commands that known programs send, why, and what to do."),
        ("Program", "Times", "Users", "Cause", "Remedy"),
        [
            (
                cut(group.name),
                number(group.times),
                number(group.users),
                one.cause if one else "-",
                one.remedy if one else "-",
            )
            for one, group in groups
        ],
        range(1, 3),
        figures.omitted,
    )


def _verdicts(counts: Mapping[str, int]) -> tuple[str, ...]:
    return tuple(number(counts.get(verdict, 0)) for verdict in COUNTED_VERDICTS)


def _table(
    head: tuple[str, str, str],
    columns: tuple[str, ...],
    rows: Sequence[Sequence[Text]],
    numbers: range,
    omitted: Mapping[str, int],
) -> Table:
    """Number columns of only zeros are left out, to fit a phone."""
    columns_shown = [
        i
        for i in range(len(columns))
        if i not in numbers or not rows or any(row[i] != "0" for row in rows)
    ]
    return Table(
        *head,
        tuple(columns[i] for i in columns_shown),
        [tuple(row[i] for i in columns_shown) for row in rows],
        frozenset(place for place, i in enumerate(columns_shown) if i in numbers),
        omitted.get(head[0], 0),
    )
