"""What runs on a server now: `p4 monitor show`, and the counters of rt.monitorfile."""
