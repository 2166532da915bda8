"""`p4warden prove`: run experiments on a temporary p4d, and compare the results with expectations.

Data files in `facts/` list for each experiment the facts to find out, with p4warden's hypotheses
and the accepted values. Each experiment runs in a separate process with a deadline.
"""
