"""From lifted blocks to the tree: conditions, loops, tries, and labels that disappear."""
