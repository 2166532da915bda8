"""Measurements of how long the server takes for small commands, week by week.

Imports `reports` for its pages, `home` and `core`; `server` does the measuring.
"""
