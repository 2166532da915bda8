"""Rehearsal of a policy before it becomes active.

Judges and explains events, cases and logs, and suggests limits, without changing anything on the
server or in the home folder.
"""
