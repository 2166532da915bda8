"""The home folder: the running policy, facts, decisions and locks, read and replaced safely.

Imports `judge`, `policy` and `core`; knows no server.
"""
