"""Files of the home folder: running policy, facts, decision log, locks; read and replace them.

Imports `judge`, `policy` and `core`; has no access to the server.
"""
