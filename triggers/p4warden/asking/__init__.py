"""Questions to the gate, which gives every verdict, and its names and numbers, as a file."""
