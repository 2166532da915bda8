"""Definitions that packages of p4warden share, such as records, errors and name patterns.

Uses no file, clock, socket or process, and imports only the standard library.
"""
