"""The policy language: YAML as people write it, its checks, and the compiled file for triggers.

Of the modules, `compiled` is imported by triggers and imports nothing heavy; `source`, `schema`,
`meaning` and `check` read YAML and serve only the command line. The package imports `rules` and
`core` of p4warden.
"""
