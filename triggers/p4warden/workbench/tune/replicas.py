from __future__ import annotations

# Servers beside the first one that run lines of its triggers table, by the bits of `db.server`
# ("P4 Server Schema"; which of them run triggers: P4 Server Administrator Guide, commit-edge).
_SERVICES = {
    0x0945: "replica",
    0x094D: "build-server",
    0x09E5: "forwarding-replica",
    0x19ED: "edge-server",
    0x59ED: "workspace-server",
    0x8945: "standby",
    0x89E5: "forwarding-standby",
    0xC945: "depot-standby",
}


def replica(services: object) -> str | None:
    """Return the kind of a replica, by its number or its name; None for other servers."""
    if isinstance(services, int):
        return _SERVICES.get(services)
    return services if isinstance(services, str) and services in _SERVICES.values() else None


def is_host_program(action: str) -> bool:
    """Tell whether a trigger's command names no file of a depot, as `%//depot/run.sh%` does."""
    return "%//" not in action
