"""Recorded conversations through the real stages again, and what became of their waits."""
