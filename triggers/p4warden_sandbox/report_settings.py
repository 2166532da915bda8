from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.core.errors import P4WardenError
from p4warden_sandbox.settings import ServerVersion, Settings
from p4warden_sandbox.variants import checked

if TYPE_CHECKING:
    from collections.abc import Mapping


class ReportSettings(NamedTuple):
    """`unsupported_facts` are facts without a variant, and unknown variants as `NAME=VALUE`."""

    settings: Settings
    unsupported_facts: tuple[str, ...]


def settings_from_report(document: Any) -> ReportSettings:
    """Return settings like the server of a parsed report; raise P4WardenError if it is none."""
    part = document.get("sandbox") if isinstance(document, dict) else None
    if not isinstance(part, dict) or not isinstance(part.get("variants"), dict):
        raise P4WardenError("that is not a JSON report of p4warden prove")
    release = part.get("release")
    version = ServerVersion.of(str(release)) if release else Settings().server_version
    supported, unknown = _sorted(part["variants"])
    without = (*map(str, part.get("without_variant") or ()), *unknown)
    return ReportSettings(Settings(server_version=version, variants=checked(supported)), without)


def _sorted(variants: Mapping[str, Any]) -> tuple[dict[str, str], list[str]]:
    """Split a report's variants: return known ones by name, and unknown ones as `NAME=VALUE`."""
    supported = {
        name: str(value) for name, value in variants.items() if _is_known(name, str(value))
    }
    return supported, [f"{name}={variants[name]}" for name in variants.keys() - supported.keys()]


def _is_known(name: str, value: str) -> bool:
    try:
        checked({name: value})
    except P4WardenError:
        return False
    return True
