"""A brain elsewhere: any server that speaks OpenAI's chat completions."""
