"""A webcam corrects the body: landmarks of a camera settle where the hips of a headset's user face.

python examples/14_camera.py
"""

import numpy as np

import kinematch as km

# Somebody who wears a headset and two controllers and looks around. Here it is the person of a clip.
cast = km.evaluate.make_cast(km.evaluate.make_clips(2, seconds=10.0, seed=2, room=1.5)[1:], look_around=0.5)
user = cast.users[0]

# What a webcam in front sees of it, 20 times a second and 0.1 s late, with the errors of a pose estimator. Live or from
# a video, kinematch.camera.mediapipe.PoseEstimator finds the same in pictures; any other estimator can fill Landmarks.
camera = km.camera.SimulatedCamera((0.5, 1.1, 3.5), np.pi, 0.1)
heads = user.joints.rotations[:, 0]
landmarks = km.camera.simulate_camera(user.clip, camera, np.random.default_rng(0), head_rotations=heads)

# The fusion is a direction estimator like any other. It finds out by itself where the camera is and how late.
fusion = km.camera.CameraFusion()
avatar = km.Avatar(km.load("built-in"), calibration=cast.calibration, estimator=fusion)
fusion.see(landmarks)  # all of a recording at once; live, each frame when it comes
poses, errors = [], []
for frame in range(len(user.devices)):
    poses.append(avatar.step(user.devices.take(slice(frame, frame + 1)), 1 / user.rate))
    errors.append([avatar.body_yaws[0] - user.yaws[frame], fusion.base.yaws[0] - user.yaws[frame]])

fused, network = np.degrees(np.abs(np.angle(np.exp(1j * np.array(errors[60:]))))).mean(axis=0)
found = fusion.observers[0].alignment.pose
print(f"direction of the hips: {fused:.1f} degrees off, by trackers alone {network:.1f}")
print(f"the camera was found {100 * np.linalg.norm(found.position - np.array(camera.position)):.0f} cm from its place")
km.save("camera.glb", km.record(poses, avatar.skeleton, user.rate))
print(f"camera.glb: {len(poses)} frames")
