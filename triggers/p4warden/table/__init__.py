"""The triggers table: its text, the lines that a policy needs, and merging them into it.

The package `server` reads and writes the table itself.
"""
