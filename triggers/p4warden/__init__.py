"""p4warden keeps a Perforce server fast: it refuses the few uses that slow it for everyone."""

__version__ = "0.1.0"
