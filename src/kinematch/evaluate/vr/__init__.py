"""VR avatars, scored: simulated users whose whole motion is known, and what each method makes of their trackers."""
