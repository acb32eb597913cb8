"""Text to speech, with a Piper voice that speaks while it still thinks.

* piper.py           the voice that the worker runs: a phrase to sound
* voice_folder.py    a voice's files, and what is made from them once
* split.py           a voice's graph, cut where sound can be made slice by slice
* vits.py            phoneme ids to slices of sound
* phonemes.py        text to phoneme ids
* spoken_text.py     pure: written text as it is read aloud; spoken_english.py, spoken_chinese.py
* sound.py           slices to what a listener gets; loudness.py, resample.py
* timing.py          pure: which written words have been said
"""
