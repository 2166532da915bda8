from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from p4warden.reports.costs import costs_of
from p4warden.reports.decision_record import FAULT, SHOWN_FORM
from p4warden.reports.subjects import Subjects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from p4warden.reports.costs import Cost
    from p4warden.reports.decision_record import Decision
    from p4warden.reports.subjects import Subject

COUNTED_VERDICTS = ("refuse", "delay", "observe", "unknown")
"""The worst first."""

STOPPED = ("refuse", "delay")
OBSERVED = "observe"
NO_ONE = "(no user)"
NO_RULE = "(no rule)"
NO_FORM = "(form not recorded)"
NO_PROGRAM = "(no program)"
QUARTER_S = 900
_GROUPS = ("exemptions", "faults", "troubles", "unusual", "unjudged", "offenders", "classes")


class Cell(NamedTuple):
    day: str  # `YYYY-MM-DD`
    rule: str
    verdict: str
    user: str


class DecisionGroup(NamedTuple):
    """Decisions with the same exemption, fault or question without an answer."""

    name: str  # that they have in common
    times: int
    first_s: float  # since the epoch
    last_s: float
    users: frozenset[str] = frozenset()  # as far as the log names them


class ExemptUse(NamedTuple):
    exemption: str  # its reason and owner
    clients: tuple[str | None, str | None]  # from which the event came, that a form describes
    user: str


class DecisionGroups:
    def __init__(self) -> None:
        self._times: Counter[str] = Counter()
        self._spans: dict[str, tuple[float, float]] = {}
        self._users: defaultdict[str, set[str]] = defaultdict(set)

    def add(self, name: str, one: Decision) -> None:
        self._times[name] += one.times
        first_s, last_s = self._spans.get(name, (one.time_s, one.time_s))
        self._spans[name] = min(first_s, one.time_s), max(last_s, one.time_s)
        if one.user:
            self._users[name].add(one.user)

    def most_first(self) -> tuple[DecisionGroup, ...]:
        names = sorted(self._times, key=lambda name: (-self._times[name], name))
        return tuple(
            DecisionGroup(
                name, self._times[name], *self._spans[name], frozenset(self._users[name])
            )
            for name in names
        )


class Cells(Mapping[Cell, int]):
    """Numbers of decisions, in the order of their cells; a log of a year has a million cells."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str, str], dict[str, int]] = {}

    def add(self, cell: Cell, times: int) -> None:
        users = self._counts.setdefault((cell.day, cell.rule, cell.verdict), {})
        users[cell.user] = users.get(cell.user, 0) + times

    def __getitem__(self, cell: Cell) -> int:
        return self._counts[cell.day, cell.rule, cell.verdict][cell.user]

    def __len__(self) -> int:
        return sum(map(len, self._counts.values()))

    def __iter__(self) -> Iterator[Cell]:
        for key in sorted(self._counts):
            for user in sorted(self._counts[key]):
                yield Cell(*key, user)


class Figures(NamedTuple):
    cells: Mapping[Cell, int]  # without allowed events and faults
    exemptions: tuple[DecisionGroup, ...] = ()  # by rule and exemption
    faults: tuple[DecisionGroup, ...] = ()  # by cause and reply to p4d
    troubles: tuple[DecisionGroup, ...] = ()  # by reason for a missing fact
    unusual: tuple[DecisionGroup, ...] = ()  # by rule, user and program
    unjudged: tuple[DecisionGroup, ...] = ()  # by rule and form: `big: sync PATH@N`
    offenders: tuple[DecisionGroup, ...] = ()  # by their keys
    classes: tuple[DecisionGroup, ...] = ()  # by rule and class; without allowed events
    exempt_uses: Mapping[ExemptUse, int] = {}
    costs: tuple[Cost, ...] = ()  # as far as the log has times
    enforced_counts: Mapping[tuple[str, str], int] = {}
    subjects: tuple[Subject, ...] = ()
    proposing_rules: frozenset[str] = frozenset()  # of displayed forms; they refuse nothing
    trials: int = 0  # events of deployments; in no other figure
    first_s: float | None = None  # since the epoch
    last_s: float | None = None


class Row(NamedTuple):
    name: str
    verdicts: Mapping[str, int]
    other_counts: Mapping[str, int]  # by user of a rule, or by rule of a user or day

    def of(self, *verdicts: str) -> int:
        return sum(self.verdicts.get(verdict, 0) for verdict in verdicts)

    @property
    def most_frequent(self) -> str:
        return min(
            self.other_counts, key=lambda name: (-self.other_counts[name], name), default=""
        )


class Days(dict[int, str]):
    """The day of each quarter of an hour since the epoch; each day of a zone begins with one."""

    def __init__(self, day_of: Callable[[float], str]) -> None:
        super().__init__()
        self._day_of = day_of

    def __missing__(self, quarter: int) -> str:
        return self.setdefault(quarter, self._day_of(quarter * QUARTER_S))


def gather(decisions: Iterable[Decision], day_of: Callable[[float], str]) -> Figures:
    """Count decisions; `day_of` returns the server's day, `YYYY-MM-DD`, of epoch seconds."""
    cells = Cells()
    days = Days(day_of)
    groups = {name: DecisionGroups() for name in _GROUPS}
    durations_us: defaultdict[str, Counter[int]] = defaultdict(Counter)
    subjects = Subjects()
    would: Counter[tuple[str, str]] = Counter()
    exempt_uses: Counter[ExemptUse] = Counter()
    proposing_rules: set[str] = set()
    trials = 0
    first_s, last_s = math.inf, -math.inf
    for one in decisions:
        if one.is_trial:
            trials += one.times
            continue
        first_s, last_s = min(first_s, one.time_s), max(last_s, one.time_s)
        if one.event and one.took_s is not None:
            durations_us[one.event][round(one.took_s * 10**6)] += 1
        if one.verdict not in ("allow", FAULT):
            day = days[int(one.time_s // QUARTER_S)]
            cell = Cell(day, one.rule or NO_RULE, one.verdict, one.user or NO_ONE)
            cells.add(cell, one.times)
            subjects.add(cell.rule, cell.user, one)
            proposing_rules |= {cell.rule} if one.event == SHOWN_FORM else set()
        if one.enforced_verdict in STOPPED:
            would[one.rule or NO_RULE, one.enforced_verdict] += one.times
        if one.exemption and one.user:
            clients = (one.client, one.form_client)
            exempt_uses[ExemptUse(one.exemption, clients, one.user)] += one.times
        for group, name in _groups_of(one):
            groups[group].add(name, one)
    return Figures(
        cells,
        **{name: group.most_first() for name, group in groups.items()},
        exempt_uses=exempt_uses,
        costs=costs_of(durations_us),
        enforced_counts=would,
        subjects=subjects.most_first(),
        proposing_rules=frozenset(proposing_rules),
        trials=trials,
        first_s=first_s if first_s <= last_s else None,
        last_s=last_s if first_s <= last_s else None,
    )


def _groups_of(one: Decision) -> Iterator[tuple[str, str]]:
    """Yield each group of `_GROUPS` that has a decision, and its name there."""
    rule = one.rule or NO_RULE
    if one.verdict == FAULT:
        yield "faults", f"{one.cause} ({_answer(one)})"
    if one.exemption:
        yield "exemptions", f"{rule}: {one.exemption}"
    if one.trouble:
        yield "troubles", one.trouble
    if one.is_unusual:
        yield "unusual", f"{rule}: {one.user or NO_ONE} with {one.prog or NO_PROGRAM}"
    if one.verdict == "unknown" and one.event == "command":
        yield "unjudged", f"{rule}: {one.what or NO_FORM}"
    if one.known:
        yield "offenders", one.known
    if one.policy_class and one.verdict in COUNTED_VERDICTS:
        yield "classes", f"{rule}: {one.policy_class}"


def by_rule(figures: Figures) -> list[Row]:
    """Return a row for each rule, those with most refusals and delays first."""
    return _rows(figures, "rule", "user")


def by_user(figures: Figures) -> list[Row]:
    """Return a row for each user who was stopped, most refusals and delays first.

    `other_counts` are of the rules that stopped them.
    """
    by_rule_that_stopped = {
        row.name: row.other_counts for row in _rows(figures, "user", "rule", STOPPED)
    }
    stopped = [row for row in _rows(figures, "user", "rule") if row.of(*STOPPED)]
    return [row._replace(other_counts=by_rule_that_stopped[row.name]) for row in stopped]


def would_be_hurt(figures: Figures) -> list[Row]:
    """Return rows of observed decisions, those about most users first.

    Rules that propose another form are left out, because they stop nobody.
    """
    rows = _rows(figures, "rule", "user", (OBSERVED,))
    hurting_rows = [row for row in rows if row.name not in figures.proposing_rules]
    return sorted(
        hurting_rows, key=lambda row: (-len(row.other_counts), -row.of(OBSERVED), row.name)
    )


def by_day(figures: Figures, verdicts: Sequence[str] = COUNTED_VERDICTS) -> list[Row]:
    """Return a row for each day with such a decision, in day order."""
    return sorted(_rows(figures, "day", "rule", verdicts), key=lambda row: row.name)


def _rows(
    figures: Figures, name_of: str, other_of: str, verdicts: Sequence[str] = COUNTED_VERDICTS
) -> list[Row]:
    """Group counts by two parts of their cells, most refusals and delays first."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    others: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for cell, number in figures.cells.items():
        if cell.verdict in verdicts:
            name = getattr(cell, name_of)
            counts[name][cell.verdict] += number
            others[name][getattr(cell, other_of)] += number
    rows = [Row(name, counts[name], others[name]) for name in counts]
    return sorted(rows, key=lambda row: (-row.of(*STOPPED), -row.of(*COUNTED_VERDICTS), row.name))


def _answer(one: Decision) -> str:
    words = {"allow": "it was allowed", "refuse": "it was refused", None: "answered by on_error"}
    return words.get(one.answer, f"answered {one.answer}")
