"""Motion of one rig on another: a whole clip, then live poses of a crowd.

python examples/05_retarget.py
"""

from dataclasses import replace

import numpy as np

import kinematch as km

walk = km.synth.walk_along([(0, 0), (0, 5)])

# a rig of three quarters the size, written to a file and read back as if we knew nothing about it
small = replace(walk.skeleton, offsets=walk.skeleton.offsets * 0.75, end_offsets=walk.skeleton.end_offsets * 0.75)
km.save("child.bvh", walk.with_(skeleton=small, positions=walk.positions * 0.75).frames(0, 60))
child = km.read("child.bvh", unit="cm").skeleton

moved = km.retarget(walk, child)
for name, clip in (("source", walk), ("target", moved)):
    hips = km.motion.global_pose(clip)[0][:, clip.skeleton.joint("hips")]
    distance = np.linalg.norm(hips[-1] - hips[0])
    print(f"{name}: hips at {np.median(hips[:, 1]):.2f} m, travelled {distance:.2f} m")
km.draw.contact_sheet(moved, columns=8, rows=1).save("child.png")
print("drawn: child.png")

# live: prepare once, then retarget the poses of a hundred characters in one call
rooted = km.add_root(walk)
retargeting = km.Retargeting(rooted.skeleton, km.add_root(moved).skeleton)
frames = np.arange(100) % rooted.frame_count
positions, rotations = retargeting.apply(rooted.positions[frames], rooted.rotations[frames])
print(f"{len(positions)} poses of {positions.shape[1]} joints, root motion scaled by {retargeting.scale:.2f}")
print("not matched:", "; ".join(retargeting.problems) or "nothing")
