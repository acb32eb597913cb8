"""Hearing: speech detection, speech recognition, and whether a turn is complete."""
