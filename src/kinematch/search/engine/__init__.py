"""Databases for engines: flat files, one JSON that describes them, and a reader and search of a page to port."""
