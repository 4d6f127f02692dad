"""The cleaning steps one by one: frame rate, floor, ground root, contacts, and a mirrored copy.

python examples/02_clean_a_clip.py
"""

import numpy as np

from kinematch import synth
from kinematch.motion.contacts import contact_quality, find_contacts
from kinematch.motion.floor import put_on_floor
from kinematch.motion.mirror import mirror
from kinematch.motion.resample import resample
from kinematch.motion.root import add_root

clip = synth.walk_along([(0, 0), (0, 4), (3, 6)], frame_rate=30)
clip = resample(clip, 60)
clip = put_on_floor(clip)
clip = add_root(clip, "spine")
print("first joint:", clip.skeleton.names[0], "- on the floor:", bool(np.abs(clip.positions[:, 0, 1]).max() < 1e-6))

contacts = find_contacts(clip)  # (frames, 2): left and right foot
quality = contact_quality(clip, contacts)
print(f"planted: left {contacts[:, 0].mean():.0%}, right {contacts[:, 1].mean():.0%} of the time")
print(f"feet slide at {quality.mean_speed * 100:.1f} cm/s while planted")

mirrored = mirror(clip)
ends = [round(float(one.positions[-1, 0, 0]), 2) for one in (clip, mirrored)]
print(f"ends at x = {ends[0]}, mirrored at x = {ends[1]}")
