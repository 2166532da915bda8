"""The words of a trigger line, for rehearsed events; the gate reads those of real ones."""
