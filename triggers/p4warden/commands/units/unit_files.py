from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from p4warden.commands.units.jobs import JOBS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from p4warden.commands.units.jobs import Job

_PRIVATE = ("/home/", "/root/", "/run/user/")
"""Folders that `ProtectHome=yes` hides (systemd.exec(5))."""
_HARDENED = """\
ProtectSystem=strict
PrivateTmp=yes
PrivateDevices=yes
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
MemoryDenyWriteExecute=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
"""
_WITH_SERVER = """\

# It reads a ticket and connects to a server.
ProtectHome=read-only
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
"""
_WITHOUT_SERVER = """\

# It connects to no server.
ProtectHome={protect_home}
PrivateNetwork=yes
RestrictAddressFamilies=AF_UNIX
"""
_ONLINE = "Wants=network-online.target\nAfter=network-online.target\n"
_ROTATION = """\
# Every writer opens the log by name for each line and creates it if it is missing. Renaming is
# therefore enough: no process has to be notified, and no line is lost.
{home}/decisions.jsonl {{
    su {account} {group}
    weekly
    maxsize 200M
    rotate 26
    dateext
    dateformat .%Y%m%d-%s
    missingok
    notifempty
    nocreate
    compress
    delaycompress
}}
"""


class Installation(NamedTuple):
    """An installation, as units and the configuration of logrotate name it.

    Attributes:
        version: the folder of the version in use, by a name that upgrades keep.
        stem: with which the names of units begin.
        address: settings such as `P4PORT=ssl:1666`, as far as they are known.
    """

    version: str
    home: str
    account: str
    group: str
    stem: str
    address: tuple[str, ...]


def files(installation: Installation) -> dict[str, dict[str, str]]:
    """Return the files of an installation by their folder below /etc and their name."""
    unit_texts = {}
    for job in JOBS:
        unit_texts[f"{installation.stem}-{job.name}.service"] = "".join(
            _service(job, installation)
        )
        unit_texts[f"{installation.stem}-{job.name}.timer"] = _timer(job)
    rotation = _ROTATION.format(**_words(installation))
    return {"systemd/system": unit_texts, "logrotate.d": {installation.stem: rotation}}


def _words(installation: Installation) -> dict[str, str]:
    """Return what the names in braces stand for."""
    return {
        "home": installation.home,
        "account": installation.account,
        "group": installation.group,
        "stem": installation.stem,
        "deploy": f"{installation.version}/share/p4warden/deploy",
        "environment": f"/etc/{installation.stem}.env",
        "metrics": "/var/lib/node_exporter/p4warden",
        "shared": f"/var/lib/{installation.stem}-shared",
    }


def _service(job: Job, installation: Installation) -> Iterator[str]:
    words = _words(installation)
    if job.note:
        yield f"# {job.note.format(**words)}\n"
    yield f"[Unit]\nDescription=p4warden: {job.does}\n{_ONLINE if job.asks_server else ''}\n"
    yield f"[Service]\nType=oneshot\nUser={installation.account}\n"
    for setting in (f"P4WARDEN_HOME={installation.home}", *installation.address):
        yield f"Environment={setting}\n"
    yield f"EnvironmentFile=-{words['environment']}\n"
    program = "" if job.command.startswith("/") else f"{installation.version}/bin/p4warden "
    yield f"ExecStart={program}{job.command.format(**words)}\nTimeoutStartSec={job.timeout}\n"
    yield f"Nice=10\nUMask=0077\nReadWritePaths={installation.home}\n"
    yield "".join(f"{line.format(**words)}\n" for line in job.service)
    yield _WITH_SERVER if job.asks_server else _without_server(installation)
    yield _HARDENED


def _without_server(installation: Installation) -> str:
    is_hidden = any(
        path.startswith(_PRIVATE) for path in (installation.version, installation.home)
    )
    return _WITHOUT_SERVER.format(protect_home="read-only" if is_hidden else "yes")


def _timer(job: Job) -> str:
    lines = "\n".join((f"OnCalendar={job.calendar}", "AccuracySec=5s", *job.timer))
    return (
        f"[Unit]\nDescription=p4warden: {job.does}\n\n"
        f"[Timer]\n{lines}\n\n[Install]\nWantedBy=timers.target\n"
    )
