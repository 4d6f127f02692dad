"""The web server: addresses, access, messages, pages."""
