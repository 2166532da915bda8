"""Questions to the gate, which gives every verdict."""
