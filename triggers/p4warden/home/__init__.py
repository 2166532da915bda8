"""The home folder: read and safely replace the running policy, facts, decisions and locks.

Imports `judge`, `policy` and `core`; has no access to the server.
"""
