"""Draws docs/images/actions.png, frame strips of the built-in actions.

Run `python docs/figures/actions.py` from the folder of the project.
"""

from pathlib import Path

from PIL import Image

from kinematch.draw.sheet import contact_sheet
from kinematch.synth.actions import list_actions, perform_action

SHOWN = ("jump_1.2", "jump_run_3.6_0.48", "hop_over_box", "step_up_0.4", "step_down_0.4", "duck", "sit", "wave")
COLUMNS, TILE = 12, (100, 160)


def draw(number: int) -> Image.Image:
    """An action from where it may be entered to a little after its exit."""
    clip = perform_action(number)
    action = clip.actions[0]
    view = "front" if action.name == "wave" else "side"
    start, stop = action.entry[0] + 0.2, action.exit + 0.2
    return contact_sheet(clip, columns=COLUMNS, rows=1, start=start, stop=stop, tile=TILE, view=view)


def main() -> None:
    sheets = [draw(k) for k, motion in enumerate(list_actions()) if motion.name in SHOWN]
    whole = Image.new("RGB", (sheets[0].width, sum(sheet.height for sheet in sheets)))
    top = 0
    for sheet in sheets:
        whole.paste(sheet, (0, top))
        top += sheet.height
    whole.quantize(128).save(Path("docs/images/actions.png"), optimize=True)


if __name__ == "__main__":
    main()
