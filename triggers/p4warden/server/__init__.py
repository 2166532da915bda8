"""Communication with a Perforce server, through the vendor's P4Python client.

Imports `census`, `history`, `pulse`, `table` and the packages below them.
"""
