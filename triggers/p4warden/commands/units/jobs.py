from __future__ import annotations

from typing import NamedTuple


class Job(NamedTuple):
    """A command that a timer starts.

    Its texts may contain the names of `unit_files.files` in braces.

    Attributes:
        command: the words after `p4warden`, or a whole command line that begins with a slash.
        calendar: when the timer starts it, for `OnCalendar`.
        timeout: after which systemd ends it.
        asks_server: whether it needs the network, an account and its ticket.
        service: further lines of the service.
        timer: further lines of the timer.
        note: what a person must set up before.
    """

    name: str
    does: str
    command: str
    calendar: str
    timeout: str
    asks_server: bool = False
    service: tuple[str, ...] = ()
    timer: tuple[str, ...] = ()
    note: str = ""


_WHOLE_STALL = "65min"  # some stalls of a server lasted twenty minutes
_LATE_BUT_SURE = ("RandomizedDelaySec=1min", "Persistent=yes")
JOBS = (
    Job(
        "refresh",
        "facts of the Perforce server",
        "refresh --home {home}",
        "hourly",
        "15min",
        asks_server=True,
        timer=("RandomizedDelaySec=10min", "Persistent=yes"),
    ),
    Job(
        "metrics",
        "counts of decisions for Prometheus",
        "metrics --home {home} --output {metrics}/{stem}.prom",
        "minutely",
        "5min",
        service=("ReadWritePaths={metrics}",),
        note="install -d -o {account} -m 755 {metrics}, and start node_exporter with "
        "--collector.textfile.directory={metrics}.",
    ),
    Job(
        "pulse",
        "response times of the Perforce server to small commands",
        "pulse --home {home} --once --path ${{PULSE_FILE}} --client ${{PULSE_CLIENT}}",
        "*:0/5",
        _WHOLE_STALL,
        asks_server=True,
        service=("StateDirectory={stem}-pulse", "StateDirectoryMode=0700"),
        note="{environment} sets PULSE_FILE=//depot/dir/small.txt and PULSE_CLIENT=NAME, a client "
        "that maps this file, with the root /var/lib/{stem}-pulse.",
    ),
    Job(
        "running",
        "end commands that run longer than the policy allows",
        "running --home {home} --enforce",
        "minutely",
        "10min",
        asks_server=True,
        note="{home}/prove.json is the report of p4warden prove --json with the server's release "
        "of p4d; the account has the type operator or super access. p4warden off, or a file "
        "{home}/running-off, stops it.",
    ),
    Job(
        "share",
        "give policy, facts and index to the other servers of the triggers table",
        "share --home {home} {shared}",
        "*:0/5",
        "1h",
        service=("ReadWritePaths={shared}",),
        timer=_LATE_BUT_SURE,
        note="{shared} is a folder of {account} that all hosts can read, or that your own means "
        "copy from host to host.",
    ),
    Job(
        "follow",
        "take over policy, facts and index from the server that the triggers table is written on",
        "follow --home {home} {shared}",
        "*:0/5",
        "1h",
        timer=_LATE_BUT_SURE,
        note="{shared} is the folder that p4warden share writes.",
    ),
    Job(
        "index",
        "index of the newest complete checkpoint, unless it has one",
        "/bin/sh {deploy}/index.sh",
        "*:0/10",
        "2h",
        note="{environment} sets P4WARDEN_CHECKPOINTS=/p4/1/checkpoints/p4_1.ckp, and "
        "P4WARDEN_SERVER_ID if the server has a server.id.",
    ),
)
"""The one table of what p4warden runs by the clock; `p4warden units` writes the units from it."""
