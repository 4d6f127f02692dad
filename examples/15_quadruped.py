"""An avatar that is no human: the hips and the head of a user drive a four-legged animal.

Where the user is and faces steers motion matching over clips of a procedural walker; where the user looks turns its
neck and head. All four feet are locked. A headset and a webcam tell both here; any trackers will do.

python examples/15_quadruped.py
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

import kinematch as km

quadruped, quaternion, rotation = km.synth.quadruped, km.math.quaternion, km.math.rotation
HEAD = 0  # the first tracker

# the animal's motion, as files and a recipe like anybody's
Path("clips").mkdir(exist_ok=True)
for number, (name, stretches) in enumerate(quadruped.REPERTOIRE.items()):
    km.save(f"clips/{name}.bvh", quadruped.walk_quadruped(stretches, name=name, seed=number))
toes = [f"{leg}Toe" for leg in quadruped.LEGS]
features = [f'[[feature]]\nkind = "{kind}"\njoint = "{toe}"\n' for toe in toes for kind in ("position", "velocity")]
features += [f'[[feature]]\nkind = "{kind}"\ntimes = [0.33, 0.67, 1.0]\n'
             for kind in ("trajectory_position", "trajectory_direction")]  # fmt: skip
pairs = [
    [f"{end}Left{part}", f"{end}Right{part}"] for end in ("Hind", "Front") for part in ("Upper", "Lower", "Foot", "Toe")
]
roles = "\n".join(f'{role} = "{joint}"' for role, joint in quadruped.find_roles().items())
Path("quadruped.toml").write_text(
    f"""
[[source]]
files = ["clips/*.bvh"]
unit = "cm"
up = "Y"
root_joint = "Pelvis"
contact_joints = {toes}
mirror_pairs = {pairs}
[source.roles]
{roles}

[cleaning]
mirror = true
floor = "keep"
{"".join(features)}
[[feature]]
kind = "velocity"
joint = "Pelvis"
"""
)
database = km.build("quadruped.toml")
print(f"{database.poses.clip_count} clips, {database.poses.minutes:.1f} minutes of a four-legged walker")


class Look:
    """A layer that turns the neck and the head to where the user looks."""

    joints = database.skeleton.joint("Neck"), database.skeleton.joint("Head")
    turn = np.array([1.0, 0, 0, 0])  # of the user's head against the hips

    def apply(self, pose, dt):
        yaw, pitch = rotation.to_rotation_vector(self.turn)[[1, 0]].clip([-1.2, -0.5], [1.2, 0.5])
        half = rotation.from_rotation_vector(np.array([pitch / 2, yaw / 2, 0.0]))
        for joint in self.joints:
            pose.rotations[:, joint] = quaternion.multiply(half, pose.rotations[:, joint])
        return self.joints


# somebody who wears a headset and walks about, and a webcam that sees it
cast = km.evaluate.make_cast(km.evaluate.make_clips(2, seconds=12.0, seed=2, room=1.5)[1:], look_around=0.5)
user = cast.users[0]
camera, heads = km.camera.SimulatedCamera((0.5, 1.1, 3.5), np.pi, 0.1), user.joints.rotations[:, HEAD]
landmarks = km.camera.simulate_camera(user.clip, camera, np.random.default_rng(0), head_rotations=heads)
fusion, controller, look = km.camera.CameraFusion(), km.avatar.TrackerController(1), Look()
fusion.see(landmarks)
animal = km.Crowd(database, layers=[look], settings=replace(km.avatar.SETTINGS, pelvis=True, clamp_distance=0.3))
poses, gaps = [], []
for frame in range(len(user.devices)):
    joints = cast.calibration.locate_joints(user.devices.take(slice(frame, frame + 1)))
    yaws = fusion.estimate(joints, 1 / user.rate).yaws
    look.turn = quaternion.multiply(rotation.from_axis_angle([0, 1.0, 0], -yaws[0]), joints.rotations[0, HEAD])
    trajectory = controller.predict(joints, yaws, np.zeros((1, 3)), 1 / user.rate)
    if not frame:
        animal.start_over(trajectory.positions[:, 1], yaws)
    poses.append(animal.step(km.follow_trajectory(trajectory), 1 / user.rate))
    gaps.append(np.linalg.norm((animal.root_positions[0] - joints.positions[0, HEAD]) * [1, 0, 1]))
print(f"the animal is {100 * np.mean(gaps):.0f} cm from where its user is, on average")

clip = km.record(poses, animal.skeleton, user.rate)
paws = np.array([pose.global_positions[0, [animal.skeleton.joint(toe) for toe in toes]] for pose in poses])
locked = np.array([pose.locked[0] for pose in poses])
slides = np.linalg.norm(np.diff(paws, axis=0)[..., [0, 2]], axis=-1)[locked[1:] & locked[:-1]]
print(f"locked paws: {locked.mean():.0%} of the time, sliding {1000 * user.rate * slides.mean():.1f} mm/s")
km.save("quadruped.glb", clip)
km.draw.contact_sheet(clip).save("quadruped.png")
print("written: quadruped.glb, quadruped.png")
