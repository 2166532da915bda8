"""Charts for pages: columns and lines as SVG, bars as lists; text is plain, and escaped here.

A chart is readable on a phone's screen. Screen readers get its title and description.
"""

from __future__ import annotations

import math
import re
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from p4warden.core.printable import cut
from p4warden.reports.unbroken import whole, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

WIDTH = 360
_LEFT, _RIGHT, _TOP, _PLOT = 52, 8, 12, 150
_LABEL = 64
_CHARACTER = 6.6
"""Width of one in a label of an axis."""
_DAY, _YEAR = re.compile(r"\d{4}-\d\d-\d\d "), re.compile(r"\d{4}-")
_WIDEST = 60
"""Of a column."""
_TICKS = 4
COLOURS = 6
"""Largest number of series of a chart."""


class Series(NamedTuple):
    """A number for each position, None for no number."""

    name: str
    values: Sequence[float | None]
    colour: str = ""  # `refused` or `delayed`, which no other series may have


class Chart(NamedTuple):
    name: str  # unique on the page
    title: str  # for screen readers
    description: str  # for people who cannot see the picture
    labels: Sequence[str]  # of the positions, from left to right or from top to bottom
    series: Sequence[Series]  # in the order of the colours

    def colours(self) -> list[str]:
        """Return the class of each series in the style sheet."""
        return [one.colour or f"c{number}" for number, one in enumerate(self.series)]


def stacked(
    labels: Sequence[str],
    counts: Mapping[str, Mapping[str, float]],
    totals: Mapping[str, float],
    others: str,
) -> list[Series]:
    """Return series of the largest names in `totals`, then one of all others if there are any.

    `counts` are by label and name; a label may lack them.
    """
    names = sorted(totals, key=lambda name: -totals[name])[: COLOURS - 1]
    by_label = [counts.get(label, {}) for label in labels]
    series = [Series(cut(name), [by_name.get(name, 0) for by_name in by_label]) for name in names]
    if len(totals) > len(names):
        rest = [
            sum(by_name.values()) - sum(by_name.get(n, 0) for n in names) for by_name in by_label
        ]
        series.append(Series(others, rest))
    return series


def columns(chart: Chart, text_of: Callable[[float], str]) -> str:
    """Return a chart with a column for each label, in which the series are stacked."""
    most = _round_up(max(_sums(chart), default=0))
    step = (WIDTH - _LEFT - _RIGHT) / max(len(chart.labels), 1)
    origin, axis = _axis(chart.labels, step)
    parts = [*_grid(most, text_of), *axis]
    width = min(max(step * 0.8, 0.5), _WIDEST)
    for i in range(len(chart.labels)):
        left = _LEFT + (i + 0.4) * step - width / 2
        top = float(_TOP + _PLOT)
        for colour, series in zip(chart.colours(), chart.series, strict=True):
            height = _PLOT * (series.values[i] or 0) / most
            top -= height
            if height:
                parts.append(_rect(left, top, width, height, colour))
    return _svg(chart, _TOP + _PLOT + (41 if origin else 27), parts)


def bars(chart: Chart, text_of: Callable[[float], str]) -> str:
    """Return a chart with a horizontal bar for each label; `text_of` formats the sum."""
    sums = _sums(chart)
    percent = 100 / (max(sums, default=0) or 1)
    rows = []
    for i, label in enumerate(chart.labels):
        x, parts = 0.0, ""
        for colour, series in zip(chart.colours(), chart.series, strict=True):
            width = (series.values[i] or 0) * percent
            parts += _bar(x, width, colour)
            x += width
        rows.append(_row(label, text_of(sums[i]), parts))
    return _list(chart, rows)


def lines(chart: Chart, text_of: Callable[[float], str]) -> str:
    """Return a chart with a line for each series, interrupted at missing numbers."""
    values = [value for series in chart.series for value in series.values if value is not None]
    most = _round_up(max(values, default=0))
    step = (WIDTH - _LEFT - _RIGHT) / max(len(chart.labels), 1)
    origin, axis = _axis(chart.labels, step)
    parts = [*_grid(most, text_of), *axis]
    for colour, series in zip(chart.colours(), chart.series, strict=True):
        points = [
            None if value is None else (_LEFT + (i + 0.4) * step, _y(value, most))
            for i, value in enumerate(series.values)
        ]
        parts += _line(points, colour)
    return _svg(chart, _TOP + _PLOT + (41 if origin else 27), parts)


class Span(NamedTuple):
    """A bar of a timeline, in any unit."""

    label: str
    start: float
    end: float
    colour: str  # of one of the chart's series


def timeline(chart: Chart, spans: Sequence[Span], text_of: Callable[[float], str]) -> str:
    """Return the bars of at least one span, below each other; the series are the legend."""
    first, last = min(span.start for span in spans), max(span.end for span in spans)
    percent = 100 / ((last - first) or 1)
    rows = [
        _row(
            span.label,
            "",
            _bar((span.start - first) * percent, (span.end - span.start) * percent, span.colour),
        )
        for span in spans
    ]
    return _list(chart, [*rows, _row(text_of(first), text_of(last), "")])


def _row(label: str, value: str, parts: str) -> str:
    drawn = f"<div>{parts}</div>" if parts else ""
    return f"<li>{whole(label)} <small>{escape(value)}</small>{drawn}</li>\n"


def _bar(left: float, width: float, colour: str) -> str:
    """Draw a part of a bar, in percent of the chart's width."""
    style = f"left:{min(left, 99.5):.2f}%;width:{max(width, 0.5):.2f}%"
    return f'<mark class="{colour}" style="{style}"></mark>' if width else ""


def _list(chart: Chart, rows: Sequence[str]) -> str:
    name = escape(f"{chart.title}. {chart.description}")
    return f'<ul class="bars" aria-label="{name}">\n{"".join(rows)}</ul>\n{_legend(chart)}'


def _sums(chart: Chart) -> list[float]:
    return [sum(s.values[i] or 0 for s in chart.series) for i in range(len(chart.labels))]


def _svg(chart: Chart, height: float, parts: list[str]) -> str:
    name = f"chart-{chart.name}"
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:g}" role="img" '
        f'aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{escape(chart.title)}</title>'
        f'<desc id="{name}-desc">{escape(chart.description)}</desc>{"".join(parts)}</svg>'
        f"{_legend(chart)}"
    )


def _legend(chart: Chart) -> str:
    items = (
        f'<li><mark class="{colour}"></mark>{words(series.name)}</li>'
        for colour, series in zip(chart.colours(), chart.series, strict=True)
    )
    return f'<ul class="legend">{"".join(items)}</ul>' if chart.series else ""


def _grid(most: float, text_of: Callable[[float], str]) -> Iterator[str]:
    for tick in range(_TICKS + 1):
        value = most * tick / _TICKS
        y = _y(value, most)
        yield f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y:g}" y2="{y:g}"/>'
        yield _text(_LEFT - 4, y + 4, text_of(value), "end")


def _axis(labels: Sequence[str], step: float) -> tuple[str, list[str]]:
    """Return the year or day that all labels have in common, if any, and the texts of the axis."""
    origin, labels = _split_dates(labels)
    width = max(map(len, labels), default=0) * _CHARACTER
    every = math.ceil(max(_LABEL, width + _CHARACTER) / step)
    shown = range(len(labels) - 1, -1, -every)
    places = {i: min(_LEFT + (i + 0.4) * step, WIDTH - width / 2) for i in shown}
    texts = [_text(x, _TOP + _PLOT + 19, labels[i], "middle") for i, x in places.items()]
    return origin, [*texts, *([_text(0, _TOP + _PLOT + 35, origin)] if origin else [])]


def _split_dates(labels: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Split `2027-03-01 10:00` after the day, or else the year, that all labels share."""
    for start in (_DAY, _YEAR):
        starts = {match[0] if (match := start.match(label)) else "" for label in labels}
        if len(starts) == 1 and (common := starts.pop()):
            return common[:-1], [label[len(common) :] for label in labels]
    return "", labels


def _line(points: Sequence[tuple[float, float] | None], colour: str) -> Iterator[str]:
    path = ""
    for before, point in pairwise([None, *points]):
        if point:
            path += f"{'L' if before else 'M'}{point[0]:.1f} {point[1]:.1f}"
            yield f'<circle class="{colour}" cx="{point[0]:.1f}" cy="{point[1]:.1f}" r="2.5"/>'
    yield f'<path class="line {colour}" d="{path}"/>' if path else ""


def _rect(x: float, y: float, width: float, height: float, colour: str) -> str:
    size = f'width="{width:.2f}" height="{height:.2f}"'
    return f'<rect class="{colour}" x="{x:.2f}" y="{y:.2f}" {size}/>'


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>'


def _y(value: float, most: float) -> float:
    return round(_TOP + _PLOT * (1 - value / most), 2)


def _round_up(most: float) -> float:
    """Four steps divide it."""
    if most <= 0:
        return float(_TICKS)
    unit = 10.0 ** math.floor(math.log10(most) - 1)
    return next(unit * n for n in (4, 8, 10, 12, 20, 40, 60, 80, 100, 120) if unit * n >= most)
