"""Motion of one rig on another: a whole clip, then live poses of a crowd.

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
from kinematch.motion.retargeting import Retargeting
from kinematch.motion.root import add_root, with_root

walk = synth.walk_along([(0, 0), (0, 5)])

# a rig of three quarters the size, written to a file and read back as if we knew nothing about it
small = replace(walk.skeleton, offsets=walk.skeleton.offsets * 0.75, end_offsets=walk.skeleton.end_offsets * 0.75)
write_clip("child.bvh", walk.with_(skeleton=small, positions=walk.positions * 0.75).frames(0, 60))
child = read_clip("child.bvh", unit="cm").skeleton

moved = retarget(walk, child)
print(f"legs of {leg_length(walk.skeleton):.2f} m and {leg_length(child):.2f} m")
for name, clip in (("source", walk), ("target", moved)):
    hips = global_pose(clip)[0][:, clip.skeleton.joint("hips")]
    distance = np.linalg.norm(hips[-1] - hips[0])
    print(f"{name}: hips at {np.median(hips[:, 1]):.2f} m, travelled {distance:.2f} m")
contact_sheet(moved, columns=8, rows=1).save("child.png")
print("drawn: child.png")

# live: prepare once, then retarget the poses of a hundred characters in one call
rooted = add_root(walk)
retargeting = Retargeting(rooted.skeleton, with_root(child))
frames = np.arange(100) % rooted.frame_count
positions, rotations = retargeting.apply(rooted.positions[frames], rooted.rotations[frames])
print(f"{len(positions)} poses of {positions.shape[1]} joints, root motion scaled by {retargeting.scale:.2f}")
print("not matched:", "; ".join(retargeting.problems) or "nothing")
