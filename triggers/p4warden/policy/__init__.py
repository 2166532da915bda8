"""The policy language: YAML as people write it, its checks, and the compiled file for triggers.

Triggers import the module `compiled`, which imports nothing heavy; the other modules serve the
command line. The package imports `rules` and `core` of p4warden.
"""
