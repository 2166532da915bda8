"""The subcommands, one per file: they read options, call the rooms below, and print.

May import any room; no other room imports this one.
"""
