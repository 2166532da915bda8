# Each set applies from its release until that of the next one. The three sets differ in many
# values that no source documents, so that tests with all of them cover several values.

from __future__ import annotations

from p4warden_sandbox.settings import ServerVersion, Settings

_SETS: tuple[tuple[ServerVersion, dict[str, str]], ...] = (
    (
        ServerVersion(2019, 1),
        {
            "table": "connection",
            "change-files": "content",
            "args-quoted": "csv",
            "form-file-mode": "0644",
            "saves": "serial",
        },
    ),
    (
        ServerVersion(2022, 1),
        {
            "table": "connection",
            "change-files": "content",
            "args": "quoted",
            "args-quoted": "percent",
            "form-file-mode": "0400",
            "missing-view": "filled-before",
            "depot-programs": "must-exist",
            "single-types": "one",
            "archive-depot-file": "refused",
        },
    ),
    (
        ServerVersion(2025, 1),
        {
            "table": "connection",
            "change-files": "content",
            "odd-names": "refused",
            "args": "doubled",
            "args-quoted": "percent",
            "command-name": "main",
            "killed": "failure",
            "form-fields": "absent",
            "unchanged-form": "silent",
            "stream-switch": "silent",
            "depot-programs": "must-exist",
            "single-types": "one",
            "archive-depot-file": "refused",
        },
    ),
)
# First p4d release whose new servers are secure by default (release notes 2026.1).
_SECURE = ServerVersion(2026, 1)


def like(release: str) -> Settings:
    """Return settings like a p4d release from 2019.1 on; raise P4WardenError for another."""
    version = ServerVersion.of(release)
    sets = [values for start, values in _SETS if start <= version]
    security = {"security": "by-default"} if version >= _SECURE else {}
    return Settings(server_version=version, variants=sets[-1] | security)
