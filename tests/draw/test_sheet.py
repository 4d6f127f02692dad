"""Contact sheets and strips: right sizes, even moments, the body walking to the right."""

import numpy as np
import pytest

from kinematch.draw.frames import even_frames
from kinematch.draw.sheet import contact_sheet, strip
from kinematch.errors import KinematchError
from kinematch.motion.clean.contacts import find_contacts


def test_a_sheet_has_its_tiles_and_a_title(walking):
    assert contact_sheet(walking, columns=4, rows=2, tile=(80, 90)).size == (320, 210)
    assert contact_sheet(walking, columns=4, rows=1, tile=(80, 90), title="").size == (320, 90)


@pytest.mark.parametrize("view", ["side", "front", "back", "three-quarter"])
def test_every_tile_shows_the_body(walking, view):
    sheet = np.asarray(contact_sheet(walking, columns=3, rows=2, tile=(100, 120), view=view, title="")).astype(int)
    limbs = np.abs(sheet[..., 2] - sheet[..., 0]) > 50
    for row in range(2):
        for column in range(3):
            tile = limbs[row * 120 : (row + 1) * 120, column * 100 : (column + 1) * 100]
            assert tile.mean() > 0.02
            assert not tile[2:-2, 2].any()
            assert not tile[2:-2, -3].any()


def test_moments_are_even_and_within_the_clip(walking):
    assert even_frames(walking, 5, start=None, stop=None).tolist() == [0, 15, 30, 45, 60]
    assert even_frames(walking, 3, start=0.5, stop=1.5).tolist() == [15, 30, 45]
    assert even_frames(walking, 2, start=1, stop=100).tolist() == [30, 60]


def test_a_strip_grows_with_the_way(walking):
    short, long = strip(walking, count=4, stop=0.5, height=120), strip(walking, count=4, height=120)
    assert short.height == long.height == 120
    assert long.width > short.width
    assert strip(walking, count=3, height=100, width=400).size == (400, 100)


def test_a_strip_goes_from_left_to_right_facing_right(walking):
    pixels = np.asarray(strip(walking, count=2, spread=2, height=200)).astype(int)
    limbs = np.abs(pixels[..., 2] - pixels[..., 0]) > 50
    half = pixels.shape[1] // 2
    assert limbs[:, :half].any()
    assert limbs[:, half:].any()
    # seen from its right side: more of the right limbs (orange) shows than of the left
    assert (pixels[..., 0] - pixels[..., 2] > 50).sum() > (pixels[..., 2] - pixels[..., 0] > 50).sum()


def test_contacts_are_marked(walking):
    contacts = find_contacts(walking)
    marked = contact_sheet(walking, columns=3, rows=1, tile=(120, 120), contacts=np.ones_like(contacts))
    plain = contact_sheet(walking, columns=3, rows=1, tile=(120, 120))
    assert marked.tobytes() != plain.tobytes()


def test_mistakes_are_named(walking):
    with pytest.raises(KinematchError, match="no view 'sid'; did you mean 'side'"):
        contact_sheet(walking, view="sid")
    with pytest.raises(KinematchError, match="at least one"):
        contact_sheet(walking, columns=0)
    with pytest.raises(KinematchError, match="0 <= start <= stop"):
        strip(walking, start=2, stop=1)
    with pytest.raises(KinematchError, match=r"contacts of shape \(5, 2\), expected \(61, 2\)"):
        contact_sheet(walking, contacts=np.zeros((5, 2), bool))
