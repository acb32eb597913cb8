"""Text to speech: Piper voices that speak while they still think, and espeak-ng for the rest.

* engine.py          what the worker runs: every voice that is here
* piper.py           a Piper voice: a phrase to sound
* voice_folder.py    a Piper voice's files, and what is made from them once
* split.py           its graph, cut where sound can be made slice by slice
* vits.py            phoneme ids to slices of sound
* phonemes.py        text to phoneme ids
* espeak.py          an espeak-ng voice: a phrase to sound; espeak_library.py
* spoken_text.py     pure: written text as it is read aloud; spoken_english.py, spoken_chinese.py
* sound.py           a voice's own sound to what a listener gets; loudness.py, resample.py
* frames.py          that sound as frames, each with the words that it completes
* timing.py          pure: which written words have been said
* phrase_cache.py    the program's own phrases on disk; whole_file.py
* plain.py           the plain way, for comparison
"""
