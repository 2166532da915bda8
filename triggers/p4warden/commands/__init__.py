"""The subcommands, one per file: they read options, call the rooms below, and print.

Import any room; no room imports them.
"""
