"""One rig's motion on another: LAFAN1-like names and proportions to a small rig with other names and axes.

python examples/05_retarget.py
"""

from dataclasses import replace

import numpy as np

from kinematch import synth
from kinematch.draw.sheet import contact_sheet
from kinematch.files import read_clip, write_clip
from kinematch.motion.edit import leg_length
from kinematch.motion.kinematics import global_pose
from kinematch.motion.retarget import retarget

walk = synth.walk_along([(0, 0), (0, 5)])

# the same people-shaped rig at three quarters of the size, as a file that we know nothing of
small = replace(walk.skeleton, offsets=walk.skeleton.offsets * 0.75, end_offsets=walk.skeleton.end_offsets * 0.75)
write_clip("child.bvh", walk.with_(skeleton=small, positions=walk.positions * 0.75).frames(0, 60))
child = read_clip("child.bvh", unit="cm").skeleton

moved = retarget(walk, child)
print(f"legs of {leg_length(walk.skeleton):.2f} m and {leg_length(child):.2f} m")
for name, clip in (("source", walk), ("target", moved)):
    hips = global_pose(clip)[0][:, clip.skeleton.joint("hips")]
    way = np.linalg.norm(hips[-1] - hips[0])
    print(f"{name}: hips at {np.median(hips[:, 1]):.2f} m, travelled {way:.2f} m")
contact_sheet(moved, columns=8, rows=1).save("child.png")
print("drawn: child.png")
