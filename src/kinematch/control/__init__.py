"""Commands, trajectories, the simulated body, and the controllers that produce commands."""
