"""The triggers table: its text, the lines a policy needs, their merge, and backups of the table.

Imports `home`, `judge` and the rooms below them; `server` reads and writes the table itself.
"""
