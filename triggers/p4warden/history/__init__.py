"""Changes to an installation: who made them, when and why, and the files to go back with.

Imports `home` and the rooms below it; knows no server and no triggers table.
"""
