"""Room: users with headsets, each with a body of their own in one space."""
