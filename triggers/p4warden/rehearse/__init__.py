"""A policy tried before it runs: events, cases and logs judged, explained, and turned into limits.

Changes nothing. Imports `census`, `logs`, `table` and the rooms below them.
"""
