"""The graph made ready: which handlers, matches and copies a person would have written, and where each block will stand."""
