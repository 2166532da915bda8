"""How long the server lets small questions wait, week by week."""
