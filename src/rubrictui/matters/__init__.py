"""Content-scored matters: pure functions over documents, rubrics and submissions."""
