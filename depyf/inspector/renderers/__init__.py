"""Views of a session. Each module here turns session data, and nothing else, into text."""
