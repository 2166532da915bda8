from __future__ import annotations

OWN_PROGRAM = "p4warden"
OWN_CLIENT = "p4warden-no-client"
"""Client of p4warden's own connections: a legal name, of a client that does not exist."""
