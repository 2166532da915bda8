"""The sandbox as a replacement for p4d: a program started like p4d, for tests.

`python -m p4warden_sandbox.p4d -r ROOT -p PORT` serves clients on a loopback port until SIGTERM,
`... -r ROOT -i` the one client on its standard input and output, as with an `rsh:` port.

All processes with the same server root share one state, which a separate process, the keeper,
holds in memory. They start the keeper if none runs, and pass their clients to it through a socket
in the root. The keeper ends about ten seconds after the last of these processes, or when the root
is deleted, and the state ends with it; settings made with `-x` stay.
"""
