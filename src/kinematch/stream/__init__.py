"""Poses out to other programs and trackers in from them: VMC and VRChat, over OSC."""
