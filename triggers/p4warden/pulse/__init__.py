"""Statistics of the times that a Perforce server takes for five small p4 commands.

The package `server` measures the times.
"""
