"""The cleaning steps one by one: frame rate, floor, ground root, contacts, and a mirrored copy.

python examples/02_clean_a_clip.py
"""

import numpy as np

import kinematch as km

clip = km.synth.walk_along([(0, 0), (0, 4), (3, 6)], frame_rate=30)
clip = km.resample(clip, 60)
clip = km.put_on_floor(clip)
clip = km.add_root(clip, "spine")
print("first joint:", clip.skeleton.names[0], "- on the floor:", bool(np.abs(clip.positions[:, 0, 1]).max() < 1e-6))

contacts = km.find_contacts(clip)  # (frames, 2): left and right foot
quality = km.motion.contact_quality(clip, contacts)
print(f"planted: left {contacts[:, 0].mean():.0%}, right {contacts[:, 1].mean():.0%} of the time")
print(f"feet slide at {quality.mean_speed * 100:.1f} cm/s while planted")

mirrored = km.mirror(clip)
ends = [round(float(one.positions[-1, 0, 0]), 2) for one in (clip, mirrored)]
print(f"ends at x = {ends[0]}, mirrored at x = {ends[1]}")
