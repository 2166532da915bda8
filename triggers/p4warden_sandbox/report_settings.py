"""Make settings for a sandbox like the real server in a report of `p4warden prove`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden.core.errors import P4WardenError
from p4warden_sandbox.settings import ServerVersion, Settings
from p4warden_sandbox.variants import checked

if TYPE_CHECKING:
    from collections.abc import Mapping


class ReportSettings(NamedTuple):
    """Sandbox settings made from a report of `p4warden prove`.

    `unsupported_facts` names reported facts that no sandbox variant reproduces, and, as
    `NAME=VALUE`, variants and values unknown to this sandbox.
    """

    settings: Settings
    unsupported_facts: tuple[str, ...]


def settings_from_report(document: Any) -> ReportSettings:
    """Return settings for a sandbox with the release and variants in a `p4warden prove` report.

    `document` is the report, parsed from JSON. Variants and values unknown to this sandbox are
    left out and listed in the result.

    Raises:
        P4WardenError: the document is not a report, its variants exclude each other, or the
            sandbox does not support its release.
    """
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
