"""A full body from a headset and two controllers: trackers in, poses out, live or from a recording.

python examples/13_vr_avatar.py
"""

import numpy as np

import kinematch as km

RATE = 60

# Somebody who wears a headset and two controllers. Here it is the person of a clip; live, make km.Trackers of what
# your runtime tells: positions and rotations of head and hands in metres, Y up, +Z forward.
clip = km.evaluate.make_clips(2, seconds=10.0)[1]
calibration = km.Calibration(height=1.78)
user = km.avatar.simulate_user(km.avatar.track_joints(clip), np.random.default_rng(0), calibration=calibration)
devices = user.keep(("head", "left_hand", "right_hand"))

# One step for each sample. The avatar is scaled to its user; a character of yours goes in as `skeleton`.
avatar = km.Avatar(km.load("built-in"), calibration=calibration)
poses = [avatar.step(devices.take(slice(frame, frame + 1)), 1 / RATE) for frame in range(len(devices))]

last = avatar.estimate
facing, doubt = np.degrees(last.direction.yaws[0]), np.degrees(last.direction.uncertainties[0])
print(f"the body faces {facing:.0f} degrees, give or take {doubt:.0f}; head at {last.ratios[0]:.0%}")
km.save("avatar.glb", km.record(poses, avatar.skeleton, RATE))
print(f"avatar.glb: {len(poses)} frames")
