"""p4warden, a Perforce trigger suite: refuses or delays the few requests that slow a server."""

__version__ = "0.1.0"
