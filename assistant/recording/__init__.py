"""What happened in a conversation, kept on disk when the person who runs it wants that."""
