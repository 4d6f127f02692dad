"""The frames that a model's run goes through, one after the other, decoded by its networks.

A run begins at an entry of the codebook and follows its clip, on a spline through the features and latents of its
entries; past the clip, and where a projector network found the beginning, the stepper leads on (learned MM,
algorithm 1). The table of a model has two frames for each character: the one that plays, and the next.
"""

from kinematch.compile.jit import inner, routine
from kinematch.compile.lanes import single
from kinematch.database.run_kernels import decode_inputs, join_frames
from kinematch.database.table import EACH_RUN
from kinematch.math.networks import apply_network
from kinematch.math.vectors import quaternion, vector

LONGEST_RUN = 10**8  # frames: far from where 32 bits end
NOWHERE = -1  # an entry that no run began at


@inner
def is_run(source):
    return source.each == EACH_RUN


@inner
def is_entry(runs, entry):
    return 0 <= entry < runs.last.shape[0]


@inner
def has_run_out(source, n):
    """Whether a run has passed the end of its clip; one without a clip is trusted for a while."""
    return is_past_end(source.runs, source.runs.entries[n], source.runs.steps[n])


@inner
def is_past_end(runs, entry, steps):
    most = runs.longest
    if is_entry(runs, entry):
        most = runs.steps_left[entry]
    return not 0 <= steps < most


@inner
def find_entry(source, n):
    """The entry that a run is nearest to in its clip; NOWHERE past its end."""
    runs = source.runs
    entry, steps = runs.entries[n], runs.steps[n]  # read once: another thread may write to them at any time
    if not is_entry(runs, entry) or is_past_end(runs, entry, steps):
        return NOWHERE
    return min(entry + (steps + runs.stride // 2) // runs.stride, runs.last[entry])


@inner
def restore_entry(runs, entry, values):
    """Features and latents of an entry."""
    follow_clip(runs, entry, 0.0, values)


@inner
def predict_frame(source, n, steps, scratch, r):
    """Features and latents `steps` frames after a run began, none of them negative, into row r of the inputs."""
    runs, entry, values = source.runs, source.runs.entries[n], scratch.inputs[r]
    before = entry + steps // runs.stride
    if is_entry(runs, entry) and before < runs.last[entry]:
        follow_clip(runs, before, (steps % runs.stride) / runs.stride, values)
    else:
        lead_on(source, n, scratch, r)


@inner
def follow_clip(runs, b, t, values):
    """Between entry b and the next, on the cubic spline through all entries of the clip, which has no jolts."""
    last, u = runs.last[b], 1.0 - t
    wa, wb, wc, wd = u * u * u / 6, (4 - t * t * (6 - 3 * t)) / 6, (4 - u * u * (6 - 3 * u)) / 6, t * t * t / 6
    a, c, d = b - 1, b + 1, b + 2
    if b == 0 or runs.last[b - 1] != last:  # knots beyond either end of the clip go on in a straight line
        a, wa, wb, wc = b, 0.0, wb + 2 * wa, wc - wa
    if c > last:
        c, wa, wb, wc = b, wa - wc, wb + 2 * wc, 0.0
    if d > last:
        d, wb, wc, wd = b, wb - wd, wc + 2 * wd, 0.0
    wa, wb, wc, wd, knots = single(wa), single(wb), single(wc), single(wd), runs.knots
    for k in range(runs.step.shape[0]):
        bent = wa * single(knots[a, k]) + wb * single(knots[b, k]) + wc * single(knots[c, k]) + wd * single(knots[d, k])
        values[k] = runs.lowest[k] + runs.step[k] * bent


@inner
def lead_on(source, n, scratch, r):
    """By the stepper, from the frame that plays; kept near the data."""
    runs, inputs = source.runs, scratch.inputs
    width = runs.step.shape[0]
    for k in range(width):
        scratch.led[0, k] = runs.frames[2 * n, k]
    at = apply_network(runs.stepper, scratch.led, scratch.hidden, 1)
    for k in range(width):
        value = runs.frames[2 * n, k] + scratch.hidden[at, 0, k]
        inputs[r, k] = min(max(value, runs.limits[0, k]), runs.limits[1, k])


@inner
def ask_projector(source, queries, n, scratch):
    """What the projector network finds for query n, into row 0 of the inputs, and its cost."""
    for k in range(queries.shape[1]):
        scratch.led[0, k] = queries[n, k]
    at = apply_network(source.runs.projector, scratch.led, scratch.hidden, 1)
    for k in range(source.runs.step.shape[0]):
        scratch.inputs[0, k] = scratch.hidden[at, 0, k]
    return measure_cost(source, queries, n, scratch.inputs[0])


@inner
def measure_cost(source, queries, n, values):
    """How far features are from query n."""
    cost = 0.0
    for k in range(queries.shape[1]):
        gap = values[k] - queries[n, k]
        cost += gap * gap * source.runs.weights[k]
    return cost


@inner
def find_followed(runs, entry):
    """The entry that a run follows; with a projector network it follows no clip."""
    return NOWHERE if runs.projector.sizes.shape[0] > 0 else entry


@routine
def enter_run(source, n, scratch, entry):
    """Begin at what row 0 of the inputs holds, which is that of an entry unless a network found it."""
    runs = source.runs
    runs.entries[n], runs.steps[n] = entry, 0
    for k in range(runs.step.shape[0]):
        runs.frames[2 * n, k] = scratch.inputs[0, k]  # where the stepper leads on from
    predict_frame(source, n, 1, scratch, 1)
    scratch.list[0], scratch.list[1] = 2 * n, 2 * n + 1
    decode_inputs(source, scratch, 2)
    join_frames(source, n)


@inner
def shift_frames(source, n):
    """The next frame becomes the one that plays; returns how many frames after the beginning that is."""
    runs, frame = source.runs, 2 * n
    steps = min(max(runs.steps[n], 0), LONGEST_RUN) + 1
    runs.steps[n] = steps
    for k in range(runs.step.shape[0]):
        runs.frames[frame, k] = runs.frames[frame + 1, k]
    for j in range(source.rotations.shape[1]):
        source.rotations[frame][j] = quaternion(source.rotations[frame + 1][j])
    for k in range(source.moving.shape[0]):
        source.places[frame][k] = vector(source.places[frame + 1][k])
    for i in range(3):
        runs.roots[frame, i] = runs.roots[frame + 1, i]
    for k in range(source.contacts.shape[1]):
        source.contacts[frame, k] = source.contacts[frame + 1, k]
        source.contact_left[frame, k] = source.contact_left[frame + 1, k]
        source.toe_heights[frame, k] = source.toe_heights[frame + 1, k]
    source.paces[frame] = source.paces[frame + 1]
    return steps
