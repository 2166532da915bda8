"""History of an installation: record each change with author and reason, keep files to restore.

Has no access to the server or the triggers table.
"""
