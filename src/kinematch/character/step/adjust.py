"""Adjust: roots go the way of their clips and are drawn to their simulated bodies, and never far from them."""

from kinematch.character.constants import CLAMP_PULL, CLAMP_SOFTNESS, FORGOTTEN
from kinematch.compile.jit import inner
from kinematch.compile.lanes import larger, root, smaller, where, with_sign
from kinematch.math.series import exp_negative, rotate_about_y, wrap_angle
from kinematch.math.spring_kernels import move_velocity_spring
from kinematch.math.vectors import Vector, vector

NO_DISTANCE = 1e-300  # m: below it a gap has no direction


@inner
def adjust_root(data, n, by):
    """The root goes its way, with what is left of its last jump, and is drawn to its body."""
    playing, body, offsets, pose = data.playing, data.body, data.offsets, data.pose
    own = vector(data.work.motions[n])  # x, z, turn
    motion = own + fade_root_offset(data, n, by)
    data.schedule.since[n] = data.schedule.since[n] + by.dt
    offsets.ages[n] = offsets.ages[n] + by.dt
    before, yaw = vector(playing.positions[n]), playing.yaws[n]
    way_x, way_z = rotate_about_y(motion.x, motion.y, yaw)
    target, facing = vector(body.positions[n]), body.yaws[n]
    gap_x, gap_z = target.x - (before.x + way_x), target.z - (before.z + way_z)
    angle = wrap_angle(facing - (yaw + motion.z))
    distance, limits = root(motion.x * motion.x + motion.y * motion.y), data.work.motions[n]
    share, angle = close_gaps(gap_x, gap_z, angle, limits[3] * distance, limits[4], data.settings, by)
    x, z, new_yaw = target.x - gap_x * share, target.z - gap_z * share, wrap_angle(facing - angle)
    playing.positions[n] = Vector(x, before.y, z)  # heights are the terrain's
    playing.yaws[n] = new_yaw
    pose.displacements[n] = vector(pose.displacements[n]) + Vector(x - before.x, 0.0 * x, z - before.z)
    pose.turns[n] = pose.turns[n] + wrap_angle(new_yaw - yaw)


@inner
def fade_root_offset(data, n, by):
    """The motion that the offset of the root's velocity adds, which fades; none long after a jump."""
    roots = data.offsets.roots[n]
    recent = data.offsets.ages[n] < FORGOTTEN * data.settings.transition_halflife
    return Vector(
        fade_number(roots, 0, recent, by.transition), fade_number(roots, 1, recent, by.transition),
        fade_number(roots, 2, recent, by.transition),
    )  # fmt: skip


@inner
def fade_number(roots, i, recent, by):
    v, a = roots[i], roots[i + 3]
    shift, new_v, new_a = move_velocity_spring(v, a, 0.0, by)
    roots[i] = where(recent, new_v, v)
    roots[i + 3] = where(recent, new_a, a)
    return where(recent, shift, 0.0)


@inner
def close_gaps(x, z, angle, most_moved, most_turned, settings, by):
    """What is left of the gap between root and body, as a share, and of the angle.

    Velocity-proportional adjustment is a decay limited to a share of how far and by what angle the animation itself
    moved in this step (thesis 3.3.2): a character that stands still is not dragged. `most_turned` has a share of the
    clip's own turn: when a jump enters a fast turn, the transition holds most of it back, and the adjustment makes up
    for that.
    Synchronization (digital humans 3.5) drags. The clamp keeps the rest of the gap below its limit.
    """
    gap = root(x * x + z * z)
    kept, kept_angle = gap * by.synchronization, larger(angle, -angle) * by.synchronization
    kept = kept - smaller(kept * (1 - by.adjustment), most_moved)
    kept_angle = kept_angle - smaller(kept_angle * (1 - by.turn), most_turned)
    if settings.clamp_distance > 0:
        kept = clamp_gap(kept, settings.clamp_distance, by.dt)
    if settings.clamp_angle > 0:
        kept_angle = clamp_gap(kept_angle, settings.clamp_angle, by.dt)
    return kept / larger(gap, NO_DISTANCE), with_sign(kept_angle, angle)


@inner
def clamp_gap(gap, most, dt):
    """Limit a gap to `most`; a pull that ramps up from CLAMP_SOFTNESS of it makes the limit soft."""
    over = larger((gap - CLAMP_SOFTNESS * most) / (most - CLAMP_SOFTNESS * most), 0.0)
    return smaller(gap * exp_negative(CLAMP_PULL * dt * over * over), most)
