"""Benchmarks: each measures one part and compares it with the plain way in the same run.

A benchmark is a module with `add_arguments(parser)` and `async measure(config, options) -> Report`.
Progress and tables go to standard error, `--json` prints one object on standard output.
"""
