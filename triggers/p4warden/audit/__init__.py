"""The state of a server, from a checkpoint alone: what is expensive, unused and unlimited."""
