"""Audit a server by a checkpoint alone: expensive, unused and unlimited objects."""
