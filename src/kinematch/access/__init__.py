"""Who may connect to a server: keys, certificates, the guard in front of it, and deadlines."""
