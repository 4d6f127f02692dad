"""The process that reads an FBX file with ufbx and ends abruptly: that library crashes when its objects are freed.

It runs as a script of its own, imports nothing of Kinematch, and writes one .npz to its standard output.
"""

import io
import json
import os
import sys
from typing import Any

MAX_NODES = 20_000
MAX_CELLS = 20_000_000  # frames times nodes over all animations; a minute of work
MAX_MEMORY_BYTES = 4 << 30  # bytes
MAX_PROCESSOR_SECONDS = 170  # of computing; the parent waits a little longer by the clock


def read_scene(path: str) -> dict[str, Any]:
    """Nodes, their rest transforms, and their transforms in every frame of every animation, in metres and Y-up."""
    import numpy as np
    import ufbx  # type: ignore[import-not-found,unused-ignore]

    scene = ufbx.load_file(
        path,
        target_axes=ufbx.axes_right_handed_y_up,
        target_unit_meters=1.0,
        ignore_geometry=True,
        ignore_embedded=True,
        load_external_files=False,
        inherit_mode_handling=ufbx.InheritModeHandling.COMPENSATE,
    )
    nodes = list(scene.nodes)
    if len(nodes) > MAX_NODES:
        raise ValueError(f"{len(nodes)} nodes, expected at most {MAX_NODES}")
    number = {node.element_id: k for k, node in enumerate(nodes)}

    def flatten(transforms: list[Any]) -> Any:
        rows = [(*t.translation, t.rotation.w, t.rotation.x, t.rotation.y, t.rotation.z, *t.scale) for t in transforms]
        return np.array(rows, np.float64).reshape(-1, len(nodes), 10)

    rate = float(scene.settings.frames_per_second) or 30.0
    arrays: dict[str, Any] = {"rest": flatten([node.local_transform for node in nodes])}
    stacks: list[str] = []
    cells = 0
    curves = list(scene.anim_curves)  # held, since what hangs on a part that was let go cannot be asked
    for stack in list(scene.anim_stacks):
        begin, end = stack.time_begin, stack.time_end
        if end <= begin and curves:  # some writers do not say
            begin, end = min(curve.min_time for curve in curves), max(curve.max_time for curve in curves)
        frames = max(1, round((end - begin) * rate) + 1)
        cells += frames * len(nodes)
        if cells > MAX_CELLS:
            raise ValueError(f"animations of {cells} transforms, expected at most {MAX_CELLS}")
        arrays[f"stack{len(stacks)}"] = flatten([
            ufbx.evaluate_transform(stack.anim, node, begin + frame / rate)
            for frame in range(frames)
            for node in nodes
        ])  # fmt: skip
        stacks.append(stack.name)
    about = {
        "names": [node.name for node in nodes],
        "parents": [-1 if node.parent is None else number[node.parent.element_id] for node in nodes],
        "bones": [node.bone is not None for node in nodes],
        "stacks": stacks,
        "rate": rate,
        "unit": float(scene.settings.original_unit_meters),
        "up": str(scene.settings.original_axis_up.name),
    }
    return arrays | {"about": np.frombuffer(json.dumps(about).encode(), np.uint8)}


def main(path: str) -> None:
    """Write the scene, or a message to standard error, and end without freeing anything."""
    status = 0
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (MAX_PROCESSOR_SECONDS, MAX_PROCESSOR_SECONDS))
    except (ImportError, ValueError, OSError):  # not on Windows; the parent's deadline still holds
        pass
    try:
        import numpy as np

        content = io.BytesIO()
        np.savez(content, **read_scene(path))
        sys.stdout.buffer.write(content.getvalue())
        sys.stdout.buffer.flush()
    except BaseException as error:  # of any kind: the parent reports it
        sys.stderr.write(f"{type(error).__name__}: {str(error)[:500]}")
        sys.stderr.flush()
        status = 3
    os._exit(status)


if __name__ == "__main__":
    main(sys.argv[1])
