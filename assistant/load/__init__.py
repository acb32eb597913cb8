"""How many people one machine bears: callers that really call, and the curve of their waits."""
