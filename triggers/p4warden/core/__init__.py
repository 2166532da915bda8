"""Records, errors, names and patterns that every room shares.

No file, clock, socket or process. Imports the standard library only.
"""
