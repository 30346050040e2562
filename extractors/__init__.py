"""Interview -> belief graph."""
