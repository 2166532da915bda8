"""Count decisions by day, rule, verdict and user, and derive the figures of `p4warden report`."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from p4warden.reports.costs import Costs
from p4warden.reports.decision_record import FAULT, SHOWN_FORM
from p4warden.reports.grouped_decisions import DecisionGroups
from p4warden.reports.subjects import Subjects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from p4warden.reports.costs import Cost
    from p4warden.reports.decision_record import Decision
    from p4warden.reports.grouped_decisions import DecisionGroup
    from p4warden.reports.subjects import Subject

COUNTED_VERDICTS = ("refuse", "delay", "observe", "unknown")
"""The verdicts that the report on decisions counts, the worst first."""

STOPPED = ("refuse", "delay")
OBSERVED = "observe"
NO_ONE = "(no user)"
NO_RULE = "(no rule)"
NO_FORM = "(form not recorded)"
_GROUPS = ("exemptions", "faults", "troubles", "unjudged", "offenders")


class Cell(NamedTuple):
    """Key by which decisions are counted: their common values; `day` is `YYYY-MM-DD`."""

    day: str
    rule: str
    verdict: str
    user: str


class Figures(NamedTuple):
    """All figures of a report on the decision log.

    Attributes:
        cells: the number of decisions, without allowed events and without faults.
        exemptions: the decisions with an exemption from a rule, by rule and exemption.
        faults: failures of p4warden itself, by cause and by the reply to p4d.
        troubles: the decisions for which a needed fact was missing, by the reason.
        unjudged: the commands that no rule could judge, by rule and form (`big: sync PATH@N`).
        offenders: the decisions about commands of known offenders, by their keys.
        costs: the times that p4warden took for decisions, as far as the log contains them.
        enforced_counts: for observing rules, the number of decisions that each would delay or
            refuse if it alone were enforced: by rule and `delay` or `refuse`.
        subjects: the decisions counted in `cells`, by rule and user, with program, client, address
            and command.
        proposing_rules: the rules with decisions about displayed forms; such rules propose another
            form and refuse nothing.
        trials: number of events with which deployments tested their triggers; they are in no other
            figure.
        first_s, last_s: the times of the first and the last decision, in seconds since the epoch;
            None without decisions.
    """

    cells: Mapping[Cell, int]
    exemptions: tuple[DecisionGroup, ...] = ()
    faults: tuple[DecisionGroup, ...] = ()
    troubles: tuple[DecisionGroup, ...] = ()
    unjudged: tuple[DecisionGroup, ...] = ()
    offenders: tuple[DecisionGroup, ...] = ()
    costs: tuple[Cost, ...] = ()
    enforced_counts: Mapping[tuple[str, str], int] = {}
    subjects: tuple[Subject, ...] = ()
    proposing_rules: frozenset[str] = frozenset()
    trials: int = 0
    first_s: float | None = None
    last_s: float | None = None


class Row(NamedTuple):
    """A row of a report: the number of decisions of one rule or about one user.

    Attributes:
        name: the name of the rule or the user.
        verdicts: the number of decisions by verdict.
        other_counts: the number of decisions for each user of the rule, or for each rule of the
            user.
    """

    name: str
    verdicts: Mapping[str, int]
    other_counts: Mapping[str, int]

    def of(self, *verdicts: str) -> int:
        """Return the number of decisions in this report row that have one of the verdicts."""
        return sum(self.verdicts.get(verdict, 0) for verdict in verdicts)

    @property
    def most_frequent(self) -> str:
        """For a rule's row the user, for a user's row the rule, with the most decisions.

        Empty if the row has none.
        """
        return min(
            self.other_counts, key=lambda name: (-self.other_counts[name], name), default=""
        )


def gather(decisions: Iterable[Decision], day_of: Callable[[float], str]) -> Figures:
    """Count decisions into the figures of a report.

    Args:
        decisions: the decisions, in any order.
        day_of: returns the server's local day, `YYYY-MM-DD`, for seconds since the epoch.
    """
    cells: Counter[Cell] = Counter()
    groups = {name: DecisionGroups() for name in _GROUPS}
    costs, subjects = Costs(), Subjects()
    would: Counter[tuple[str, str]] = Counter()
    proposing_rules: set[str] = set()
    trials = 0
    first_s, last_s = math.inf, -math.inf
    for one in decisions:
        if one.is_trial:
            trials += one.times
            continue
        first_s, last_s = min(first_s, one.time_s), max(last_s, one.time_s)
        if one.event and one.took_s is not None:
            costs.add(one.event, one.took_s)
        if one.verdict == FAULT:
            groups["faults"].add(f"{one.cause} ({_answer(one)})", one)
        elif one.verdict != "allow":
            day = day_of(one.time_s)
            cell = Cell(day, one.rule or NO_RULE, one.verdict, one.user or NO_ONE)
            cells[cell] += one.times
            subjects.add(cell.rule, cell.user, one)
            proposing_rules |= {cell.rule} if one.event == SHOWN_FORM else set()
        would.update(_would(one))
        for group, name in _groups_of(one):
            groups[group].add(name, one)
    return Figures(
        cells,
        *(groups[name].most_first() for name in _GROUPS),
        costs.rows(),
        would,
        subjects.most_first(),
        frozenset(proposing_rules),
        trials,
        first_s if first_s <= last_s else None,
        last_s if first_s <= last_s else None,
    )


def _groups_of(one: Decision) -> Iterator[tuple[str, str]]:
    """Yield each group of `_GROUPS`, except faults, that has a decision, and its name there."""
    rule = one.rule or NO_RULE
    if one.exemption:
        yield "exemptions", f"{rule}: {one.exemption}"
    if one.trouble:
        yield "troubles", one.trouble
    if one.verdict == "unknown" and one.event == "command":
        yield "unjudged", f"{rule}: {one.what or NO_FORM}"
    if one.known:
        yield "offenders", one.known


def _would(one: Decision) -> dict[tuple[str, str], int]:
    return (
        {(one.rule or NO_RULE, one.enforced_verdict): one.times}
        if one.enforced_verdict in STOPPED
        else {}
    )


def by_rule(figures: Figures) -> list[Row]:
    """Return a report row for each rule, the rules with most refusals and delays first."""
    return _rows((cell.rule, cell.verdict, cell.user, n) for cell, n in figures.cells.items())


def by_user(figures: Figures, *verdicts: str) -> list[Row]:
    """Return a report row for each user with a decision that has one of the given verdicts.

    The users with most refusals and delays come first.
    """
    rows = _rows((cell.user, cell.verdict, cell.rule, n) for cell, n in figures.cells.items())
    return [row for row in rows if row.of(*verdicts)]


def would_be_hurt(figures: Figures) -> list[Row]:
    """Return a report row for each rule with observed decisions, those about most users first.

    Rules that propose another form are left out, because they stop nobody.
    """
    rows = _rows(
        (cell.rule, cell.verdict, cell.user, n)
        for cell, n in figures.cells.items()
        if cell.verdict == OBSERVED and cell.rule not in figures.proposing_rules
    )
    return sorted(rows, key=lambda row: (-len(row.other_counts), -row.of(OBSERVED), row.name))


def by_day(figures: Figures, *verdicts: str) -> dict[str, Counter[str]]:
    """Return the numbers of decisions with the given verdicts, by day and rule, in day order."""
    days: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for cell, number in figures.cells.items():
        if cell.verdict in verdicts:
            days[cell.day][cell.rule] += number
    return dict(sorted(days.items()))


def _rows(counts: Iterable[tuple[str, str, str, int]]) -> list[Row]:
    """Return a report row for each name, from counts by (name, verdict, other name).

    If the names are rules, the other names are users, and the reverse. The names with most
    refusals and delays come first.
    """
    verdicts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    others: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for name, verdict, other, number in counts:
        verdicts[name][verdict] += number
        others[name][other] += number
    rows = [Row(name, verdicts[name], others[name]) for name in verdicts]
    return sorted(rows, key=lambda row: (-row.of(*STOPPED), -row.of(*COUNTED_VERDICTS), row.name))


def _answer(one: Decision) -> str:
    """Return in words the reply that p4d got at a fault of p4warden, such as `it was refused`."""
    words = {"allow": "it was allowed", "refuse": "it was refused", None: "answered by on_error"}
    return words.get(one.answer, f"answered {one.answer}")
