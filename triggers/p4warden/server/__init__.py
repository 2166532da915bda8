"""Communication with a Perforce server, through the vendor's P4Python client."""
