"""The triggers table: its text, the lines a policy needs, merging them, and backups of the table.

Imports `home`, `judge` and the packages below them; `server` reads and writes the table itself.
"""
