"""Items, metrics, controls, and people whose truth is known."""
