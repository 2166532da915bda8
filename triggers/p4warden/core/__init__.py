"""Records, errors, names and patterns that all packages of p4warden share.

Uses no file, clock, socket or process, and imports only the standard library.
"""
