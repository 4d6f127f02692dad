"""Constants of a step that are not settings: each with its unit and its reason, for plain stages and kernels alike."""

import math

from kinematch.database.idle import STANDING_SPEED as STANDING_SPEED

# standing
RESTING_PACE = 0.15  # m/s, below which a clip counts as standing
MAX_STANDING_DISTANCE = 0.15  # m from its body within which a standing character is well placed
ALIGNED = 0.25  # rad (and rad/s of the body) within which it faces well

# search schedule
INTERVAL_SLACK = 1e-9  # s: sums of steps are not exact
GOLDEN_RATIO = 0.618034  # its multiples spread evenly over the interval, however many characters there are
FARTHEST_QUERY = 1e15  # standard deviations; larger values overflow float32 when squared

# playback
LONGEST_JUMP = 30.0  # frames of a model in one step: an application that stood still for longer goes on from there
SLOWEST_PACE = 0.3  # m/s: below it a ratio of speeds says nothing
# fraction by which a loop plays faster or slower at least: there is one for each gait, not for each speed
LOOP_RATE = 0.3
LOOP_TURN = 2.5  # rad/m by which a loop is turned towards its body at most: loops go straight on and are steered

# transitions
FORGOTTEN = 40.0  # half-lives after which nothing is left of a jump
OVERSHOOT = 0.35  # rad or m, the farthest that a velocity alone may carry an offset (learned MM 5.3.3)
LONGEST_QUINTIC = 5.0  # times offset by speed: a longer quintic overshoots

# adjustment
CLAMP_SOFTNESS = 0.5  # share of a clamp's distance or angle from which it pulls
CLAMP_PULL = 12.0  # 1/s at which a gap shrinks at the clamp's limit: 0.3 m at 3.6 m/s, as fast as most run

# searching
NO_RETURN = 0.5  # s after a jump in which a character does not return to where it left

# actions
WARP_SHORTEST, WARP_LONGEST = 0.7, 1.4  # times the clip's way to its event that a path may have
WARP_SPARE = 0.12  # m that it may be longer or shorter besides
WARP_TURN = 0.7  # rad that it may be turned
WARP_SPEED = 1.6  # m/s by which the root's velocity may change on the way into an action with a target
MAX_FOOT_CHANGE = 0.12  # m above the root that a standing foot may be higher or lower at the entry
STANDS_SOON = 0.12  # s
WARP_TIME = 0.25  # s that the event may be earlier or later than asked for
HAS_DIRECTION = 0.3  # m from the root to the event's point, from which its direction is that of the target
STRETCHED = 1.06  # times the clip's way beyond which a character that approaches its target waits
APPROACH_SPEED = 0.3  # m/s towards the target
PER_METRE, PER_RADIAN, PER_SECOND = 30.0, 6.0, 40.0  # costs of square metres, radians and seconds of warp
PER_SPEED = 2.0  # cost of a square m/s of it
URGENCY = 2.0  # cost of a second to the event, where neither target nor time are given
WARP_RAMP = 0.15  # s after the entry in which the warp sets in
BODY_HALFLIFE = 0.03  # s in which the body is drawn to the root of an action

# locking toes
CONTACT_LEAD = 0.0085  # s before its contact changes that a toe is locked or freed: half a frame of most databases
SHORTEST_STANCE = 0.08  # s of a stance that must be left to lock a toe
STEP_OVER = 0.08  # m from where its clip stands that an idle character leaves a toe
ARRIVED = 0.02  # m from its place at which a toe that steps over has arrived
LETS_GO = 0.03  # m that a leg may fall short of a locked toe before the toe is freed
BRISK = 0.6  # m/s at which a swinging toe has its full clearance
HARDEST_PULL = 60.0  # m/s^2 at which a freed toe is drawn back at most
SOFTEST_SPRING = 0.75  # share of the unlock spring's stiffness that is kept then
TILT_HEIGHT = 0.12  # m above its planted height at which a foot no longer follows the slope
MAX_FOOT_SLOPE = math.tan(0.6)  # slope that a foot can lie on

# legs
MAX_PELVIS_DROP = 0.35  # m that the pelvis is lowered at most: a deep crouch
UNSEEN = 1e-5  # m, below which a lowered pelvis is invisible
RESISTS = 0.92  # share of the longest reach from which a leg resists being stretched and the pelvis helps
STRAIGHT = 0.98  # share of the leg's length from which it gives way: knees snap through a straight leg
GIVES = 6.25  # how much it gives: at full length 0.25 %, two millimetres, so that the knee stays bent by 8 degrees
FOLDS = 0.55  # share of its animated length to which a leg may be folded by where its toe is wanted
EASES = 0.25  # share of it, on both sides of that, within which it begins to resist
SAME_PLACE = 1e-6  # m within which a foot is where it is animated
FOLDED = 1e-4  # m: a leg folded shut has no knee angle
CLEARLY_BENT = 0.7  # sine of the knee's angle from which the pose alone says which way it bends

# terrain
MAX_STEP = 0.5  # m between the ground of a foot and the root's: what is farther up or down is a wall or a hole
TOE_GROUND_SHARE = 0.5  # of the ground's half-life that toes take to follow it

# legs that cross
SHANK_RADIUS, FOOT_RADIUS = 0.05, 0.045  # leg lengths: 4.5 and 4 cm of an adult
TOUCHES = 0.03  # leg lengths between them from which legs push each other apart
PUSHES_APART = 2000.0  # 1/s^2: m/s^2 of a swinging toe for each metre that its leg is too near
HARDEST_PUSH = 50.0  # m/s^2 at most
