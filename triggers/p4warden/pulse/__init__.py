"""Statistics of the times that a Perforce server takes for five small p4 commands.

Imports `reports` for its pages, `home` and `core`; the package `server` measures the times.
"""
