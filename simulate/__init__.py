"""Belief graph + do -> shifts."""
