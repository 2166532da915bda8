"""What a policy would have stopped in p4d's logs, and limits that fit them."""
