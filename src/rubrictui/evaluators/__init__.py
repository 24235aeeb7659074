"""What turns a subject into one answer per criterion: rules, models, agents, plugins. None computes a score."""
