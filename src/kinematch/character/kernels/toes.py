"""Compiled toes of eight characters: which are held, and how they go where they should be without a jerk.

Thesis 4.3, with toes locked along the ground only: their heights are those of the clip, so that they roll as there.
"""

from kinematch.character.kernels.legs import SLOPE, WANTED, between, leg_rows
from kinematch.character.kernels.motion import SINGLES, fading
from kinematch.character.kernels.poses8 import SIXES, THREES, TWOS, from_vector
from kinematch.character.kernels.reach import (
    CONTACT,
    FARTHEST,
    GROUND,
    HEIGHT,
    LEAN,
    LOCKED,
    NOTHING,
    ONE,
    REFUSED,
    RESIST,
    REST,
    SHIFT,
    STAYS,
    TINY,
    ZERO,
    F,
    U,
    lacking,
    measured,
    sprung,
)
from kinematch.character.kernels.rotations import rotate
from kinematch.compile.jit import inner
from kinematch.compile.lanes import inverse_root, larger, read, root, smaller, splat, where_positive, write
from kinematch.compile.memory import address
from kinematch.compile.rows import read_threes, read_twos, write_threes, write_twos

TILT_HEIGHT = F(0.12)  # m above its planted height at which a foot no longer follows the slope
HARDEST = F(60)  # m/s^2 at which a freed toe is drawn back
SOFTEST = F(0.75)  # of its stiffness that is left then
BRISK = F(0.6)  # m/s at which a swinging toe has its full clearance
LETS_GO = F(0.03)  # m that a leg may lack to a locked toe before this one is freed
TWO = F(2)


@inner
def plant(feet, legs, knobs, joints, k, sunk, normals, by, tables, room):
    """Catch or free one toe of each character, and move on where it is shown. By how much lower the hips should be for
    those held to be reached; they are lower by `sunk`."""
    rows, threes, sixes, twos = (
        leg_rows(room, joints, k), address(tables, THREES), address(tables, SIXES), address(tables, TWOS)
    )  # fmt: skip
    places_at, toes_at = address(feet.places, 0) + U(12 * k), address(feet.toes, 0) + U(12 * k)
    offsets_at, headings_at = address(feet.offsets, 0) + U(24 * k), address(feet.headings, 0) + U(8 * k)
    leg, now, most, foot, toe = measured(legs, knobs, k, room, rows)
    vx, vz = velocity(toe, read_threes(threes, toes_at), by.lock.dt)
    place, heading = read_threes(threes, places_at), read_twos(twos, headings_at)
    o, ov = read_threes(sixes, offsets_at), read_threes(sixes, offsets_at + U(12))
    shift, _ = shifted(toe, foot, place, o, rows, normals)
    lacks = lacking((leg[0] + shift[0], leg[1] + shift[1] + sunk, leg[2] + shift[2]), now, most)
    caught, freed, locked = held(knobs, by, toe, foot, vx, vz, place, heading, lacks, rows)
    pointing = inverse_root(larger(foot[0] * foot[0] + foot[2] * foot[2], splat(NOTHING)))
    heading_x = where_positive(caught, foot[0] * pointing, heading[0])
    write_twos(twos, headings_at, (heading_x, where_positive(caught, foot[2] * pointing, heading[1])))
    x, ox, ovx = changed(toe[0], place[0], o[0], ov[0], vx, caught, freed, locked, by.lock)
    z, oz, ovz = changed(toe[2], place[2], o[2], ov[2], vz, caught, freed, locked, by.lock)
    height = read(rows, HEIGHT)
    if knobs.foot_lock <= 0:
        height = height + toe[1]
    place = x, height + raised(feet.lifts, knobs, k, height, vx + ovx, vz + ovz, locked, by.lock, twos, rows), z
    w, e = gently(ox, oz, ovx, ovz, by.unlock)
    w, e = where_positive(locked, splat(F(by.lock.w)), w), where_positive(locked, splat(F(by.lock.e)), e)
    ox, ovx = sprung(ox, ovx, w, F(by.lock.dt), e)
    oy, ovy = sprung(o[1], ov[1], w, F(by.lock.dt), e)
    oz, ovz = sprung(oz, ovz, w, F(by.lock.dt), e)
    write_threes(threes, places_at, place)
    write_threes(threes, toes_at, (toe[0], height, toe[2]))
    write_threes(sixes, offsets_at, (ox, oy, oz))
    write_threes(sixes, offsets_at + U(12), (ovx, ovy, ovz))
    shift, slope = shifted(toe, foot, place, (ox, oy, oz), rows, normals)
    wanted = leg[0] + shift[0], leg[1] + shift[1], leg[2] + shift[2]
    for i in range(3):
        write(rows, SHIFT + i, shift[i])
        write(rows, WANTED + i, wanted[i])
    for i in range(4):
        write(rows, SLOPE + i, slope[i])
    reach, flat = larger(RESIST * most, now), wanted[0] * wanted[0] + wanted[2] * wanted[2]
    return where_positive(locked, -wanted[1] - root(larger(reach * reach - flat, splat(ZERO))), splat(ZERO))


@inner
def velocity(toe, before, dt):
    """Of animated toes along the ground; none where there was no step before, and so no number."""
    known, per = ONE + before[0] * before[0], F(1 / dt if dt > 0 else 0.0)
    return (
        where_positive(known, (toe[0] - before[0]) * per, splat(ZERO)),
        where_positive(known, (toe[2] - before[2]) * per, splat(ZERO)),
    )


@inner
def held(knobs, by, toe, foot, vx, vz, place, heading, lacks, rows):
    """Which toes are caught, which are freed, and which are held then: 1 for those, 0 for others.

    They are freed at the end of their contact, and where they are too far, too fast, too twisted or out of reach;
    caught if their contact stays for a while and they were not freed in it, or have stepped over since.
    """
    locked, contact, refused = read(rows, LOCKED), read(rows, CONTACT), read(rows, REFUSED)
    x, z = toe[0] - place[0], toe[2] - place[2]
    farthest = read(rows, FARTHEST)
    far = x * x + z * z - farthest * farthest
    fast = vx * vx + vz * vz - F(knobs.unlock_speed * knobs.unlock_speed)
    size = root(foot[0] * foot[0] + foot[2] * foot[2])
    twisted = F(by.twist) * size - (foot[0] * heading[0] + foot[2] * heading[1])
    pulled = larger(larger(far, fast), larger(twisted, lacks - LETS_GO))
    freed = where_positive(pulled, locked, locked * (ONE - contact))
    caught = (ONE - locked) * contact * read(rows, STAYS) * (ONE - refused)
    if knobs.foot_lock <= 0:
        freed, caught = locked, splat(ZERO)
    locked = locked + caught - freed
    write(rows, LOCKED, locked)
    write(rows, REFUSED, contact * larger(refused, freed))
    return caught, freed, locked


@inner
def changed(toe, place, o, ov, v, caught, freed, locked, by):
    """Where toes should be along an axis, and by how much and how fast what is shown is off: it goes on as it was."""
    was = toe - v * F(by.dt)  # offsets are those of the last step until they move on
    # those caught come to rest this far ahead, so that they do not slide back afterwards
    rest = was + o + (v + ov) * F(1 / by.w)
    off = o + where_positive(caught, was - rest, where_positive(freed, place - was, splat(ZERO)))
    place = where_positive(caught, rest, where_positive(locked, place, toe))
    return place, off, ov + (caught - freed) * v


@inner
def raised(lifts, knobs, k, height, vx, vz, locked, by, twos, rows):
    """By how much toes are lifted: those that move must not scrape along."""
    lift = splat(ZERO)
    if knobs.foot_lock > 0:
        brisk = smaller(root(vx * vx + vz * vz) / BRISK, splat(ONE))
        lift = larger(read(rows, REST) + F(knobs.clearance) * brisk - height, splat(ZERO)) * (ONE - locked)
    own = address(lifts, 0) + U(8 * k)
    x, v = read_twos(twos, own)
    x, v = sprung(x - lift, v, F(by.w), F(by.dt), F(by.e))
    write_twos(twos, own, (x + lift, v))
    return x + lift


@inner
def gently(x, z, vx, vz, by):
    """The spring that draws freed toes back: softer where it would pull harder than a leg swings, yet not by much, for
    what is drawn back too softly flies off."""
    w, far, speed = F(by.w), root(x * x + z * z), root(vx * vx + vz * vz)
    soft = HARDEST / larger(speed + root(speed * speed + HARDEST * far), splat(TINY))
    hard = w * (w * far + TWO * speed) - HARDEST
    soft = where_positive(hard, larger(soft, splat(SOFTEST * w)), splat(w))
    return soft, where_positive(hard, fading(soft * F(by.dt), SINGLES), splat(F(by.e)))


@inner
def shifted(toe, foot, place, o, rows, normals):
    """How far the ankle has to move for the toe to be in its place, and how the foot turns: as a slope asks, the less
    the higher it is."""
    x, y, z = place[0] - toe[0] + o[0], place[1] - toe[1] + o[1], place[2] - toe[2] + o[2]
    slope = splat(ONE), splat(ZERO), splat(ZERO), splat(ZERO)
    if normals.shape[0] > 0:
        height = place[1] + o[1] - read(rows, GROUND)
        share = TWO * smaller(larger(ONE - height / TILT_HEIGHT, splat(ZERO)), splat(ONE))
        up = splat(ZERO), splat(ONE), splat(ZERO)
        turn = between(up, (-read(rows, LEAN), splat(ONE), -read(rows, LEAN + 1)))
        slope = from_vector(turn[1] * share, turn[2] * share, turn[3] * share)
        turned = rotate(slope, foot)
        x, y, z = x + foot[0] - turned[0], y + foot[1] - turned[1], z + foot[2] - turned[2]
    return (x, y, z), slope
