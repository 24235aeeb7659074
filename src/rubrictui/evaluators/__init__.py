"""The evaluators that turn a subject into one answer per criterion; none of them computes a score."""
