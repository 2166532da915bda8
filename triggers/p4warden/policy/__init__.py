"""The policy language: YAML as people write it, its checks, and the compiled file for triggers.

`compiled` is on the trigger path and imports nothing heavy; `source`, `schema`, `meaning` and
`check` read YAML and serve the command line only. Imports `rules` and `core`.
"""
