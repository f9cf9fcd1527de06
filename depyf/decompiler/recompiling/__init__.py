"""The text compiled back, so that it can stand in for the original: with what text cannot hold."""
