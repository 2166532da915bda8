"""The sandbox as a replacement for p4d: a program with p4d's command line, for tests.

`python -m p4warden_sandbox.p4d -r ROOT -p PORT` serves clients on a loopback port until SIGTERM,
`... -r ROOT -i` serves the one client on its standard input and output, as with an `rsh:` port.
It is for tests that can also run against a real p4d. Its version text names the sandbox.

All processes with the same server root share one state. A separate process, the keeper, holds the
state in memory: the first process of a root starts it, and all of them pass their clients to it
through a socket in the root. The keeper ends ten seconds after the last process of the root, or
when the root is deleted, and the state ends with it. All its files are readable by their owner
only.
"""
