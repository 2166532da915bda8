"""Run a command that gets this process's signals."""

from __future__ import annotations

import signal
import subprocess

_FORWARDED = {
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGUSR1,
    signal.SIGUSR2,
}
_SENT_BY_A_PROCESS = 0
"""The highest `si_code` of signals that a process sent; the command gets a terminal's itself."""


def run(command: list[str]) -> int:
    """Run a command; return its exit code, as a shell has it."""
    waited_for = {*_FORWARDED, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, waited_for)

    def unblock() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

    with subprocess.Popen(command, preexec_fn=unblock) as process:  # noqa: PLW1509 - one thread
        while process.poll() is None:
            received = signal.sigwaitinfo(waited_for)
            if received.si_signo in _FORWARDED and received.si_code <= _SENT_BY_A_PROCESS:
                process.send_signal(received.si_signo)
    return process.returncode if process.returncode >= 0 else 128 - process.returncode
