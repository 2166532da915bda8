"""Audit of a Perforce server from a checkpoint alone: expensive, unused and unlimited objects."""
