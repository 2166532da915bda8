"""Settings against overload that a server lacks, and a smaller protections table.

Only `checkpoint_state`, `index_site` and `log_use` read files; all else is pure.
"""
