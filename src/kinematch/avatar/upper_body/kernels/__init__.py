"""The solver of upper bodies, compiled: one user at a time, vectors and quaternions as tuples."""
