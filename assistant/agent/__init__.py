"""Functions that the assistant carries out itself, and a brain that calls them."""
