"""Prefetch: memory that characters will need soon; nothing can foresee where they are in a large database."""

from kinematch.character.step.scene import find_source
from kinematch.compile.indexing import lane_count
from kinematch.compile.jit import replace_in_kernels
from kinematch.database.pair_kernels import prefetch_frame


def prefetch_playing(scene, characters, start, stop):
    """Prefetch the frames that the next characters of a list play; outside kernels there is nothing to do."""


@replace_in_kernels(prefetch_playing)
def _prefetch_playing(scene, characters, start, stop):
    for m in range(start, min(start + lane_count(), stop)):
        source = find_source(scene, characters[m])
        if source.each > 0:
            continue
        prefetch_frame(source, min(max(scene.playing.frames[characters[m]], 0), source.frame_count - 1))
