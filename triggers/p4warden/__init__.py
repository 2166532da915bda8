"""p4warden, a Perforce trigger suite: refuses the few commands and specs that slow a server."""

__version__ = "0.1.0"
