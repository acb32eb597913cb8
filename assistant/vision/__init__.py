"""Seeing: the newest camera frame, and what is in it."""
