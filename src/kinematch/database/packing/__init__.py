"""Packed databases: poses in as few bits as an error bound allows, features and all else in small numbers."""
