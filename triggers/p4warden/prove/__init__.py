"""`p4warden prove`: experiments on a throw-away p4d, and a report of what they showed.

`facts/` holds, for each experiment, the questions with their hypotheses and accepted values as
data. `experiments/` runs them and reads values out of the recordings; `judge` compares both. The
experiments run in processes of their own (`experiment_process`), each with a deadline.

Imports `rehearse` for p4d's splitting of words, and the rooms below.
"""
