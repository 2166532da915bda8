"""The policy: YAML that people write, checked, and the compiled file that triggers read.

`compiled` is on the trigger path and stays light; `source`, `schema`, `meaning` and `check` read
YAML and are for the command line only. Imports `rules` and `core`.
"""
