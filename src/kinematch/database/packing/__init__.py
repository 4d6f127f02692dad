"""Packed databases: poses in as few bits as an error bound allows, features in 16 bits, everything else in small change."""
