"""Hours of the week in a time zone, and the changes of the zone's clock for `policy.json`.

The gate reads no file of time zones to decide; compiling a policy writes the changes into it.
"""

from __future__ import annotations

import bisect
import datetime
import functools
import itertools
import re
import zoneinfo
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
YEARS_BEFORE, YEARS_AFTER = 2, 10
"""Of the present year; events of logs may be older than the policy."""
_RANGE = re.compile(f"({'|'.join(DAYS)})(?:-({'|'.join(DAYS)}))?")
_UTC = datetime.timezone.utc
_DAY_S = 86_400


class UnknownZoneError(ValueError):
    """Error: this machine knows no time zone of that name."""


def normal(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the hours with the names of their days, in the order of the week."""
    texts = document.get("days", "mon-sun")
    texts = [texts] if isinstance(texts, str) else texts
    names = {name for text in texts for name in days(text)}
    ordered = tuple(day for day in DAYS if day in names)
    return {"days": ordered, **{name: document[name] for name in ("from", "to", "zone")}}


def days(text: str) -> list[str]:
    """Return the days of a range such as `fri-mon`, or the one that is named; none for neither."""
    match = _RANGE.fullmatch(text)
    if match is None:
        return []
    first, last = DAYS.index(match[1]), DAYS.index(match[2] or match[1])
    return [DAYS[(first + step) % 7] for step in range((last - first) % 7 + 1)]


def compiled(hours: Mapping[str, Any], year: int) -> dict[str, Any]:
    """Return normal hours as they are in `policy.json`.

    Raises:
        UnknownZoneError: this machine does not know the zone.
    """
    return {
        "days": [DAYS.index(day) for day in hours["days"]],
        "from_s": _seconds(hours["from"]),
        "to_s": _seconds(hours["to"]),
        "zone": zone_document(hours["zone"], year),
    }


def written(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the normal hours that `compiled` turned into a document."""
    return {
        "days": tuple(DAYS[day] for day in document["days"]),
        "from": _clock(document["from_s"]),
        "to": _clock(document["to_s"]),
        "zone": document["zone"]["name"],
    }


def _seconds(clock: str) -> int:
    hour, minute = map(int, clock.split(":"))
    return hour * 3600 + minute * 60


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}"


@functools.cache
def zone_document(name: str, year: int) -> dict[str, Any]:
    """Return a zone: `{"name", "changes": [[epoch second, seconds ahead of UTC]], "until_s"}`."""
    zone = _zone(name)
    start, end = (_year_start_s(year - YEARS_BEFORE), _year_start_s(year + YEARS_AFTER + 1))
    changes = [[start, _offset_s(zone, start)]]
    for day_s in range(start, end, _DAY_S):
        offset_s = _offset_s(zone, day_s + _DAY_S)
        if offset_s != changes[-1][1]:
            changes.append([_change_s(zone, day_s, day_s + _DAY_S), offset_s])
    return {"name": name, "changes": changes, "until_s": end}


def year_of(document: Mapping[str, Any]) -> int:
    """Return the year that was the present one when a zone was written into a `policy.json`."""
    return datetime.datetime.fromtimestamp(document["until_s"], _UTC).year - YEARS_AFTER - 1


def is_zone(name: str) -> bool:
    """Tell whether this machine knows a time zone."""
    try:
        _zone(name)
    except UnknownZoneError:
        return False
    return True


def zone_names() -> list[str]:
    """Return the names of this machine's zones; none if it has no list of them."""
    return sorted(zoneinfo.available_timezones())


def _zone(name: str) -> zoneinfo.ZoneInfo:
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UnknownZoneError(name) from error


def _offset_s(zone: zoneinfo.ZoneInfo, time_s: int) -> int:
    offset = datetime.datetime.fromtimestamp(time_s, _UTC).astimezone(zone).utcoffset()
    return int(offset.total_seconds()) if offset else 0


def _change_s(zone: zoneinfo.ZoneInfo, before_s: int, after_s: int) -> int:
    """Return the first second between the two at which the clock is ahead as at the later."""
    offset_s = _offset_s(zone, after_s)
    between = range(before_s + 1, after_s)
    earlier = bisect.bisect_left(between, 1, key=lambda s: _offset_s(zone, s) == offset_s)
    return before_s + 1 + earlier


def _year_start_s(year: int) -> int:
    return int(datetime.datetime(year, 1, 1, tzinfo=_UTC).timestamp())


def zones_in(document: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the zones in a `policy.json`, each as often as it occurs."""
    if isinstance(document, dict):
        if isinstance(document.get("zone"), dict):
            yield document["zone"]
        yield from itertools.chain.from_iterable(map(zones_in, document.values()))
    elif isinstance(document, list):
        yield from itertools.chain.from_iterable(map(zones_in, document))
