"""Parley: a voice-and-vision assistant that runs on your own machine."""

__version__ = "0.1.0"
