"""The triggers table: its text, the lines that a policy needs, and merging them into it.

Imports `home`, `judge` and the packages below them; `server` reads and writes the table itself.
"""
