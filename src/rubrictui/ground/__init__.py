"""What both cores stand on: the root of all errors, findings with their place, and YAML that knows its lines."""
