"""Each change of an installation with author, time and reason, and files to restore.

Has no access to the server or the triggers table.
"""
