"""Communication with a Perforce server through the vendor's library P4Python."""
