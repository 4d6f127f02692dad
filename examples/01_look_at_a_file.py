"""Read a motion file, see what is in it, and draw a contact sheet. Without a file, one is made first.

python examples/01_look_at_a_file.py [FILE]
"""

import sys

import kinematch as km

if len(sys.argv) > 1:
    path = sys.argv[1]
else:
    path = "walk.bvh"
    km.save(path, km.synth.walk_along([(0, 0), (0, 4), (3, 6)]))

clip = km.read(path)
print(f"{clip.name}: {clip.frame_count} frames at {clip.frame_rate:g} fps, {clip.skeleton.joint_count} joints")
print(f"unit: {clip.source.unit:g} m ({clip.source.unit_reason})")
print(f"up: {clip.source.up} ({clip.source.up_reason})")
print("left foot:", clip.skeleton.names[clip.skeleton.joint("left_foot")])

km.draw.contact_sheet(clip, columns=8, rows=2).save("sheet.png")
print("written: sheet.png")
