"""Camera fusion, scored: simulated cameras that look at simulated users whose whole motion is known."""
