"""Programs that sites run: what each sends, and how the shipped policies answer."""
