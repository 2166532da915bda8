"""The settings of a sandbox that behaves as a report of `p4warden prove` says of a real server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.core.errors import P4WardenError
from p4warden_sandbox.settings import ServerVersion, Settings
from p4warden_sandbox.variants import checked

if TYPE_CHECKING:
    from collections.abc import Mapping


class Reported(NamedTuple):
    """Settings, and in words what a report says that no variant shows."""

    settings: Settings
    without: tuple[str, ...]


def of_report(document: Any) -> Reported:
    """Return the settings for the JSON document of a report.

    A variant that this sandbox does not have is left out and named.

    Raises:
        P4WardenError: it is no report, or one of a release that the sandbox cannot stand for.
    """
    part = document.get("sandbox") if isinstance(document, dict) else None
    if not isinstance(part, dict) or not isinstance(part.get("variants"), dict):
        raise P4WardenError("that is no JSON report of p4warden prove")
    release = part.get("release")
    version = ServerVersion.of(str(release)) if release else Settings().server_version
    known, unknown = _sorted(part["variants"])
    without = (*map(str, part.get("without_variant") or ()), *unknown)
    return Reported(Settings(server_version=version, variants=checked(known)), without)


def _sorted(variants: Mapping[str, Any]) -> tuple[dict[str, str], list[str]]:
    """Return the variants that there are, and the others as `NAME=VALUE`."""
    known = {name: str(value) for name, value in variants.items() if _is_known(name, str(value))}
    return known, [f"{name}={variants[name]}" for name in variants.keys() - known.keys()]


def _is_known(name: str, value: str) -> bool:
    try:
        checked({name: value})
    except P4WardenError:
        return False
    return True
