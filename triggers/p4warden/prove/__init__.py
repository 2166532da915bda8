"""`p4warden prove`: run experiments on a temporary p4d, and report the results.

`facts/` has, as data, the questions of each experiment with their hypotheses and accepted values.
`experiments/` runs them and derives values from the recordings; `judge` compares the two. The
experiments run in processes of their own (`experiment_process`), each with a deadline.

Imports `rehearse` for p4d's splitting of words, and the rooms below.
"""
