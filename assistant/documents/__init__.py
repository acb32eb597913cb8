"""The person's own documents: read, cut into passages, and found by words and by meaning."""
