"""What the application stands on besides screens: opening a store, settings, notices, errors, keys, leaving."""
