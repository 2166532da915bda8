"""The sandbox in the shape of p4d: a program that takes p4d's own command line.

`python -m p4warden_sandbox.p4d -r ROOT -p PORT` serves clients on a loopback port until SIGTERM,
`... -r ROOT -i` serves the one client on its standard input and output, as `rsh:` ports start it.
It is for tests of the kind that run against a real p4d. Its version text names the sandbox.

All processes of one root share one state. A process of its own, the keeper, holds it in memory:
the first process of a root starts it, and all hand their clients over to it by a socket in the
root. It ends ten seconds after the last process of the root has ended, or when the root is gone,
and the state ends with it. All files it writes are for their owner only.
"""
