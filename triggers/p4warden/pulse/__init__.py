"""How long the server lets small questions wait, week by week.

Imports `reports` for its pages, `home` and `core`; `server` does the measuring.
"""
