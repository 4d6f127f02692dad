"""VR avatars: a full body from a headset, two controllers and whatever else is tracked."""
