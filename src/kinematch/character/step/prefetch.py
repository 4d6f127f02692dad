"""Prefetch: memory that characters will need soon; nothing can foresee where they are in a large database."""

from kinematch.character.step.scene import find_source
from kinematch.compile.indexing import lane_count
from kinematch.compile.jit import inner, replace_in_kernels
from kinematch.compile.memory import address, fetch
from kinematch.database.frame_kernels import is_packed
from kinematch.database.pair_kernels import prefetch_pack


def prefetch_playing(scene, characters, start, stop):
    """Prefetch the frames that the next characters of a list play; outside kernels there is nothing to do."""


@replace_in_kernels(prefetch_playing)
def _prefetch_playing(scene, characters, start, stop):
    for m in range(start, min(start + lane_count(), stop)):
        source = find_source(scene, characters[m])
        if source.each > 0:
            continue
        prefetch_frame(source, min(max(scene.playing.frames[characters[m]], 0), source.frame_count - 1))


@inner
def prefetch_frame(source, frame):
    """A frame and the next."""
    if is_packed(source):
        prefetch_pack(source, frame)
        return
    fetch(address(source.rotations, frame), 2 * source.rotations.strides[0])
    fetch(address(source.places, frame), 2 * source.places.strides[0])
    fetch(address(source.root_paths, frame), 2 * source.root_paths.strides[0])
    fetch(address(source.toe_heights, frame), 2 * source.toe_heights.strides[0])
    fetch(address(source.contact_left, frame), source.contact_left.strides[0])
    fetch(address(source.clip_of, frame), 4)
    fetch(address(source.next_frames, frame), 4)
