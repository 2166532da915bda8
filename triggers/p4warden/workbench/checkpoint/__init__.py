"""The small tables of a checkpoint and its journals, read in one pass, in their final state."""
