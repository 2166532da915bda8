"""The index of a checkpoint, such as numbers of files by path, through `p4warden-index`."""
