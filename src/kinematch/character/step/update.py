"""Update: parts of the step that users' sources and new settings need by themselves, for one character."""

from kinematch.character.step.bodies import find_goal, predict_body, recall_root
from kinematch.character.step.data import find_source, open_data, open_scratch
from kinematch.character.step.playback import find_rate, read_playing
from kinematch.character.step.transition import start_transition, take_sample
from kinematch.compile.jit import kernel


@kernel(fastmath={"contract"}, counting=False)
def sample_playing(data, scratch, n, row):
    """What a character plays, into a row of the sample."""
    opened = open_data(data)
    source = find_source(opened, n)
    frame, t = read_playing(opened, source, n)
    take_sample(source, frame, t, find_rate(opened, source, n, frame), open_scratch(scratch), row)


@kernel(fastmath={"contract"}, counting=False)
def begin_transition(data, scratch, n, old, old_halflife):
    """Go over from the sample before to the one after, from a kind of transition to that of the settings."""
    start_transition(open_data(data), n, open_scratch(scratch).sample, old, old_halflife)


@kernel(fastmath={"contract"}, counting=False)
def predict_places(data, times, characters, ages, places):
    """Where characters will be, or were, at times from a moment some seconds ago."""
    opened = open_data(data)
    for m in range(characters.shape[0]):
        n = characters[m]
        turn, x, z, yaw, _ = find_goal(opened, n)
        for h in range(times.shape[0]):
            if times[h] < 0:
                place = recall_root(opened, n, ages[m] - times[h])
            elif opened.orders.given[0]:
                place = places[m, h, 0] - x, places[m, h, 1], places[m, h, 2] - z, places[m, h, 3] - yaw
            else:
                place = predict_body(opened, n, times[h] - ages[m], turn, x, z, yaw)
            for i in range(4):
                places[m, h, i] = place[i]
