"""Reports on the decision log, for terminals and programs, and HTML pages of all reports."""
