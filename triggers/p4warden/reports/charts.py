"""Charts for HTML pages, as inline SVG with a legend in HTML.

A chart is readable on a phone's screen. Screen readers get a chart's title and description. Text
is passed as plain text and escaped by these functions.
"""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

WIDTH = 360
_LEFT, _RIGHT, _TOP, _PLOT = 52, 8, 12, 150
_ROW = 38
_LABEL = 64
_TICKS = 4
MAX_LABEL_CHARACTERS = 44
COLOURS = 6
"""Number of colours for the series of a chart, and so the maximum number of series."""


class Series(NamedTuple):
    """A series of a chart, shown in one colour: a number for each position, None for no number."""

    name: str
    values: Sequence[float | None]


class Chart(NamedTuple):
    """The content of a chart: title, labels and series.

    Attributes:
        name: the chart's key, unique on the page.
        title: the title for screen readers.
        description: the text for people who cannot see the picture.
        labels: the names of the positions, from left to right or from top to bottom.
        series: the series, in the order of the colours.
    """

    name: str
    title: str
    description: str
    labels: Sequence[str]
    series: Sequence[Series]


class Mark(NamedTuple):
    """A horizontal line across a chart, such as a target, with its name and height."""

    name: str
    value: float


def columns(chart: Chart, text_of: Callable[[float], str]) -> str:
    """Return a chart as SVG with one column for each label, in which the series are stacked.

    `text_of` formats a number of the axis.
    """
    sums = [sum(s.values[i] or 0 for s in chart.series) for i in range(len(chart.labels))]
    most = _round_up(max(sums, default=0))
    step = (WIDTH - _LEFT - _RIGHT) / max(len(chart.labels), 1)
    parts = [*_grid(most, text_of), *_dates(chart.labels, step)]
    for i in range(len(chart.labels)):
        top = float(_TOP + _PLOT)
        for colour, series in enumerate(chart.series):
            height = _PLOT * (series.values[i] or 0) / most
            top -= height
            if height:
                parts.append(_rect(_LEFT + i * step, top, max(step * 0.8, 0.5), height, colour))
    return _svg(chart, _TOP + _PLOT + 24, parts) + _legend(chart)


def bars(chart: Chart, text_of: Callable[[float], str]) -> str:
    """Return a chart as SVG with one horizontal bar for each label.

    The series follow each other in the bar; `text_of` formats their sum.
    """
    sums = [sum(s.values[i] or 0 for s in chart.series) for i in range(len(chart.labels))]
    most = max(sums, default=0) or 1
    parts = []
    for i, label in enumerate(chart.labels):
        y, x = i * _ROW + 14, 0.0
        parts += [_text(0, y, _short(label)), _text(WIDTH, y, text_of(sums[i]), "end")]
        for colour, series in enumerate(chart.series):
            width = WIDTH * (series.values[i] or 0) / most
            if width:
                parts.append(_rect(x, y + 6, width, 10, colour))
            x += width
    return _svg(chart, len(chart.labels) * _ROW, parts) + _legend(chart)


def lines(chart: Chart, text_of: Callable[[float], str], mark: Mark | None = None) -> str:
    """Return a chart as SVG with one line for each series, interrupted at missing numbers.

    `text_of` formats a number of the axis; `mark` is drawn across the chart.
    """
    values = [value for series in chart.series for value in series.values if value is not None]
    most = _round_up(max([*values, mark.value if mark else 0]))
    step = (WIDTH - _LEFT - _RIGHT) / max(len(chart.labels), 1)
    parts = [
        *_grid(most, text_of),
        *_dates(chart.labels, step),
        *(_mark(mark, most) if mark else ()),
    ]
    for colour, series in enumerate(chart.series):
        points = [
            None if value is None else (_LEFT + (i + 0.4) * step, _y(value, most))
            for i, value in enumerate(series.values)
        ]
        parts += _line(points, colour)
    return _svg(chart, _TOP + _PLOT + 24, parts) + _legend(chart)


class Span(NamedTuple):
    """One bar of a timeline chart.

    Attributes:
        label: the text above the bar.
        start: the start of the bar; `end` is its end, in the same unit.
        colour: the index of the bar's kind among the chart's series.
    """

    label: str
    start: float
    end: float
    colour: int


def timeline(chart: Chart, spans: Sequence[Span], text_of: Callable[[float], str]) -> str:
    """Return a timeline as SVG: below each other, a bar from the start to the end of each span.

    At least one span is needed. The chart's series are the legend; `text_of` formats a time.
    """
    first, last = min(span.start for span in spans), max(span.end for span in spans)
    scale = WIDTH / ((last - first) or 1)
    parts = []
    for i, span in enumerate(spans):
        x, y = (span.start - first) * scale, i * _ROW + 14
        width = max((span.end - span.start) * scale, 2)
        parts += [_text(0, y, _short(span.label)), _rect(x, y + 6, width, 10, span.colour)]
    bottom = len(spans) * _ROW + 14
    parts += [_text(0, bottom, text_of(first)), _text(WIDTH, bottom, text_of(last), "end")]
    return _svg(chart, bottom + 6, parts) + _legend(chart)


def _svg(chart: Chart, height: float, parts: list[str]) -> str:
    name = f"chart-{chart.name}"
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:g}" role="img" '
        f'aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{escape(chart.title)}</title>'
        f'<desc id="{name}-desc">{escape(chart.description)}</desc>{"".join(parts)}</svg>'
    )


def _legend(chart: Chart) -> str:
    items = (
        f'<li><span class="c{colour}"></span>{escape(series.name)}</li>'
        for colour, series in enumerate(chart.series)
    )
    return f'<ul class="legend">{"".join(items)}</ul>' if chart.series else ""


def _grid(most: float, text_of: Callable[[float], str]) -> Iterator[str]:
    for tick in range(_TICKS + 1):
        value = most * tick / _TICKS
        y = _y(value, most)
        yield f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y:g}" y2="{y:g}"/>'
        yield _text(_LEFT - 4, y + 4, text_of(value), "end")


def _mark(mark: Mark, most: float) -> Iterator[str]:
    y = _y(mark.value, most)
    yield f'<line class="mark" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y:g}" y2="{y:g}"/>'
    yield _text(WIDTH - _RIGHT, y - 4, mark.name, "end")


def _dates(labels: Sequence[str], step: float) -> Iterator[str]:
    every = math.ceil(_LABEL / step)
    for i in range(len(labels) - 1, -1, -every):
        x = min(_LEFT + (i + 0.4) * step, WIDTH - 20)
        yield _text(x, _TOP + _PLOT + 16, labels[i], "middle")


def _line(points: Sequence[tuple[float, float] | None], colour: int) -> Iterator[str]:
    word = "M"
    path = []
    for point in points:
        if point is None:
            word = "M"
            continue
        path.append(f"{word}{point[0]:.1f} {point[1]:.1f}")
        word = "L"
        yield f'<circle class="c{colour}" cx="{point[0]:.1f}" cy="{point[1]:.1f}" r="2.5"/>'
    yield f'<path class="line s{colour}" d="{"".join(path)}"/>' if path else ""


def _rect(x: float, y: float, width: float, height: float, colour: int) -> str:
    size = f'width="{width:.2f}" height="{height:.2f}"'
    return f'<rect class="c{colour}" x="{x:.2f}" y="{y:.2f}" {size}/>'


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>'


def _y(value: float, most: float) -> float:
    return round(_TOP + _PLOT * (1 - value / most), 2)


def _short(label: str) -> str:
    if len(label) <= MAX_LABEL_CHARACTERS:
        return label
    return f"{label[: MAX_LABEL_CHARACTERS - 3]}..."


def _round_up(most: float) -> float:
    """Round the largest number of a chart up to a round number that four steps divide."""
    if most <= 0:
        return float(_TICKS)
    unit = 10.0 ** math.floor(math.log10(most) - 1)
    return next(unit * n for n in (4, 8, 12, 20, 40, 60, 80, 100, 120) if unit * n >= most)
