"""Communication with a Perforce server, through the vendor's P4Python client.

Imports `census`, `pulse`, `table` and the packages below them.
"""
