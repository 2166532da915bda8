"""Metrics of p4warden's decisions and health, for Prometheus."""
