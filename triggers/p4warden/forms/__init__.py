"""Parse and edit the text of spec forms, and their fields such as view lines.

Pure functions, the same for every policy.
"""
