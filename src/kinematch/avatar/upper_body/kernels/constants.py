"""Constants of the upper body, each with its unit and its reason."""

import math

# taking over and handing back
RAMP = 0.4  # s in which a tracked point takes its limb over, or hands it back to the animation

# trunk
FOLLOW = 0.7  # share of the head's offset along the ground that the pelvis follows; the rest leans the spine
ROUNDS = 4  # of bending until the spine leans as it should: what is left then, the pelvis makes up
BEND_GAIN = 1.4  # of each round: lower joints turn less than the chest, so the head moves less than the chest turns
PELVIS_TILT = 0.2  # share of the lean that the pelvis takes
FORWARDS, BACKWARDS, SIDEWAYS = math.radians(80), math.radians(30), math.radians(40)  # that a spine leans at most
BOW, BOW_DROP = math.radians(45), 0.5  # trunk pitch when the head is lower than animated by this share of its height
YAW_BY_HEAD, YAW_BY_HANDS = 0.25, 0.25  # rad of chest for one of head, and for hands an arm's length apart
MOST_HEAD_YAW, MOST_CHEST_YAW = math.radians(120), math.radians(60)
PULL_FROM, MOST_PULL = 0.93, math.radians(20)  # share of the arm's length from which a hand pulls the chest

# arms
COLLAR_FROM = 0.5  # share of the arm's length from which collar bones help
COLLAR_UP, COLLAR_FORWARDS = math.radians(33), math.radians(25)
SOFT_REACH = 0.97  # share of the arm's length up to which the wrist is exact
SWIVELS, SWIVEL_STEP = 8, math.radians(15)  # candidates to each side of the elbow's natural place
WRIST_BEND = math.radians(65)  # from which a wrist resists
TRUNK_COST, WRIST_COST = 40.0, 2.0  # of an elbow half an arm's breadth in the trunk, and of a wrist bent too far
TRUNK_WIDTH, TRUNK_DEPTH = 0.85, 0.65  # half axes of the trunk, by the distance of the shoulder from the middle
MOST_TWIST = math.pi / 2  # of the forearm
SWIVEL_HALFLIFE = 0.08  # s
CHEST_HALFLIFE = 0.1  # s

# legs
KNEE_AHEAD = 0.1  # leg lengths by which a knee counts as bent forwards: straight legs know no direction
SOFT_LEG = 0.985  # share of the leg's length up to which an ankle is where it should be
