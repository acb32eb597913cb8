"""What a draft model would bring, and how many boxes a crowd needs."""
