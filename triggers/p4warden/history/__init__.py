"""History of an installation: record each change with author and reason, keep files to restore.

Imports `home` and the packages below it; has no access to the server or the triggers table.
"""
