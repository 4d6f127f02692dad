"""Constants of the upper body, each with its unit and its reason."""

import math

# taking over and handing back
RAMP_SECONDS = 0.4  # s in which a tracked point takes its limb over, or hands it back to the animation

# trunk
FOLLOW_SHARE = 0.85  # share of the head's offset along the ground that the pelvis follows; the rest leans the spine
BEND_ROUNDS = 4  # of bending until the spine leans as it should; the pelvis takes the rest
BEND_GAIN = 1.4  # of each round: lower joints turn less than the chest, so the head moves less than the chest turns
PELVIS_TILT = 0.35  # share of the lean that the pelvis takes
# that a spine leans at most
MAX_FORWARD_LEAN, MAX_BACKWARD_LEAN, MAX_SIDE_LEAN = math.radians(130), math.radians(30), math.radians(40)
# sine of the trunk's lean: by how the head leans, by the share of its height that it is lower than animated, and by
# the arm lengths that hands are farther behind it; from recorded people
LEAN_BY_NOD, LEAN_BY_DROP, LEAN_BY_HANDS = 0.4, 0.45, 0.3
MIN_HANDS_BEHIND = -0.3  # arm lengths: hands that reach forward do not lean the trunk back for long
MIN_PELVIS_SHARE = 0.16  # share of the head's height that the pelvis is above the floor at least, in a deep squat
BOW_ONSET = 0.15  # trunk lengths over which it begins to stay behind for that
MAX_PELVIS_SHARE = 0.965  # of its height in the T-pose that the pelvis is above the floor at most, but on tip-toe
UPRIGHT_ONSET = 0.05  # trunk lengths of missing height over which a trunk begins to stand up
# rise of a trunk that stands up, by its length: beyond, a little height takes a large step aside
MAX_UPRIGHT_SHARE = 0.99
YAW_BY_HEAD, YAW_BY_HANDS = 0.25, 0.25  # rad of chest for one of head, and for hands an arm's length apart
MAX_HEAD_YAW, MAX_CHEST_YAW = math.radians(120), math.radians(60)
PULL_FROM, MAX_PULL = 0.93, math.radians(20)  # share of the arm's length from which a hand pulls the chest

# arms
FOLLOW_ONSET = 0.02  # arm lengths over which shoulder and chest begin to follow a hand
COLLAR_FROM = 0.5  # share of the arm's length from which collar bones help
COLLAR_UP, COLLAR_FORWARDS = math.radians(33), math.radians(25)
DRAW_FROM, MAX_DRAW = 0.95, math.radians(20)  # share of the arm's length from which a hand draws its shoulder along
MIN_LEVER = 0.3  # of the collar bone across the arm: along it, no turn brings the shoulder nearer
SOFT_REACH = 0.97  # share of the arm's length up to which the wrist is exact
SWIVEL_COUNT, SWIVEL_STEP = 8, math.radians(15)  # candidates to each side of the elbow's natural place
WRIST_BEND = math.radians(65)  # from which a wrist resists
TRUNK_COST, WRIST_COST = 40.0, 2.0  # of an elbow half an arm's breadth in the trunk, and of a wrist bent too far
TRUNK_WIDTH, TRUNK_DEPTH = 0.85, 0.65  # half axes of the trunk, by the distance of the shoulder from the middle
MAX_TWIST = math.pi / 2  # of the forearm
SWIVEL_HALFLIFE = 0.08  # s
CHEST_HALFLIFE = 0.1  # s
NECK_HALFLIFE = 0.06  # s
FOLLOW_HALFLIFE = 0.1  # s
LEAN_HALFLIFE = 0.15  # s

# legs
KNEE_AHEAD = 0.1  # leg lengths by which a knee counts as bent forwards: straight legs know no direction
SOFT_LEG = 0.985  # share of the leg's length up to which an ankle is where it should be
HEEL_FROM, HEEL_RISE = 0.9, math.radians(50)  # share of the leg's length from which the heel rises, and its most
FOLDED, UNFOLDED = 0.3, 0.7  # share of the leg's length below which it counts as folded, and above which not
KNEE_HALFLIFE = 0.1  # s in which the knee of a folded leg swings to its side
