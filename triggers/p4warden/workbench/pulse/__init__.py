"""Statistics of the times that a server takes for five small commands; `server` measures them."""
