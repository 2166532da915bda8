"""Reports on the decision log, on a terminal or as an HTML page.

Imports `home` and `core`.
"""
