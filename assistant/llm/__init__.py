"""Text and pictures to text, on llama.cpp's low-level API.

* engine.py      the brain that the worker runs: prefill, reply
* scheduler.py   one thread, one batch, many conversations
* kv_cache.py    which conversation's cells are in which sequence
* prefix.py      pure: what two prompts share, and what a cache may keep of it
* prefix_file.py the read system prompt, kept between runs
* template.py    a prompt as cells, by the model's own chat template
* text.py        pure: tokens' bytes to text that may be spoken
* sampling.py    pure: a token drawn from a distribution
* native.py      the ctypes boundary: model and vocabulary, context, samplers
"""
