"""Cleaning: clips get a ground root, another rate, contacts, a floor, a mirror image."""
