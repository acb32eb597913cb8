"""Text and pictures to text, on llama.cpp's low-level API.

* engine.py       the brain that the worker runs: prefill, reply
* scheduler.py    one thread, one batch, many conversations
* job.py          what callers ask of it: a prompt to read, a reply to write
* kv_cache.py     which conversation's cells are in which sequence
* prefix.py       pure: what two prompts share, and what a cache may keep of it
* prefix_file.py  the read system prompt, kept between runs
* template.py     a prompt as cells, by the model's own chat template
* vision.py       pictures as cells: encoded once, read from a cache
* draft.py        pure: guesses checked so that nothing that is said changes, and how many pay
* draft_model.py  a small model that guesses
* calibration.py  what a decode costs on this machine
* threads.py      as many threads as have a core to themselves
* sampling.py     pure: a token drawn from a distribution
* text.py         pure: tokens' bytes to text that may be spoken
* model.py        ctypes: weights and vocabulary
* context.py      ctypes: KV cache, decoding, sampling
* bench.py        what all this takes
"""
