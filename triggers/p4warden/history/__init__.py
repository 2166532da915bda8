"""Record changes to an installation: their authors, times and reasons, and the files to restore.

Imports `home` and the rooms below it; has no access to the server or the triggers table.
"""
