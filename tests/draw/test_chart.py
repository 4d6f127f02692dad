"""Charts: sizes, colours that grow with values, round ticks, and mistakes named."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinematch.draw.axis import Axis, axis_for
from kinematch.draw.chart import bar_chart, heat_map, line_chart
from kinematch.draw.colour_map import colours_of
from kinematch.draw.polar import polar_map
from kinematch.draw.theme import DARK, LIGHT, linear, rgb
from kinematch.errors import KinematchError

X, Y = np.linspace(0, 4, 9), np.linspace(-90, 90, 7)
VALUES = np.arange(48.0).reshape(8, 6)


def charts(**options) -> dict:
    n = np.array([1.0, 10, 100])
    return {
        "heat": heat_map(VALUES, X, Y, title="t", x_label="x", y_label="y", value_label="v", **options),
        "polar": polar_map(VALUES, np.linspace(-np.pi, np.pi, 9), np.linspace(0, 3, 7), radius_label="r", **options),
        "line": line_chart({"a": (n, n**2), "b": (n, n)}, title="t", x_label="x", y_label="y", **options),
        "bar": bar_chart(["a", "b"], {"x": np.array([1.0, 2]), "y": np.array([-3.0, 0])}, **options),
    }


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [(400, 300), (720, 460)])
def test_every_chart_has_its_size_and_is_not_empty(theme, size):
    for name, chart in charts(theme=theme, size=size).items():
        assert chart.size == size, name
        assert np.asarray(chart).std() > 5, name


def test_cells_of_a_map_stand_where_their_edges_are():
    values = np.zeros((8, 6))
    values[7, 5] = 1  # the highest x and y: upper right
    pixels = np.asarray(heat_map(values, X, Y, size=(400, 300))).astype(int)[:, :290]  # without the colour bar
    rows, columns = np.nonzero(np.abs(pixels - rgb(LIGHT.floor)).max(axis=-1) > 60)
    cell = (rows < 60) & (columns > 200)
    assert cell.sum() > 200


def test_zero_and_nan_stay_blank():
    empty = np.asarray(heat_map(np.zeros((8, 6)), X, Y, size=(400, 300)))
    missing = np.asarray(heat_map(np.full((8, 6), np.nan), X, Y, size=(400, 300)))
    np.testing.assert_array_equal(empty, missing)
    assert (empty[100, 150] == rgb(LIGHT.floor)).all()


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_colours_run_evenly_from_the_background_away(theme):
    shares = np.linspace(0, 1, 21)
    colours = colours_of(shares, theme)
    # CIE lightness of the luminance: monotone, in steps that hardly differ
    weights = [0.2126, 0.7152, 0.0722]
    luminance = np.array([linear("#{:02x}{:02x}{:02x}".format(*c)) @ weights for c in colours])
    lightness = 116 * np.cbrt(luminance) - 16
    steps = np.diff(lightness)
    assert (steps < 0).all() or (steps > 0).all()
    assert np.abs(steps).min() > 0.7 * np.abs(steps).max()
    background = linear(theme.floor) @ weights
    assert abs(luminance[0] - background) < abs(luminance[-1] - background)


@given(st.floats(-1e6, 1e6), st.floats(1e-2, 1e6), st.integers(2, 12))
def test_ticks_are_round_even_and_inside(low, span, count):
    axis = Axis(low, low + span)
    values = [value for value, _ in axis.ticks(count)]
    assert len(values) <= count + 1
    slack = 1e-6 * (abs(low) + span)
    assert all(low - slack <= v <= low + span + slack for v in values)
    if len(values) > 2:
        np.testing.assert_allclose(np.diff(values), values[1] - values[0], rtol=1e-4)


@given(st.floats(1e-6, 1e6), st.floats(1.5, 1e6))
def test_a_logarithmic_axis_places_products_evenly(low, ratio):
    axis = Axis(low, low * ratio, log=True)
    np.testing.assert_allclose(axis.share(np.array([low, low * np.sqrt(ratio), low * ratio])), [0, 0.5, 1], atol=1e-9)
    assert all(low * 0.999 <= v <= low * ratio * 1.001 for v, _ in axis.ticks())


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=20), st.booleans())
def test_an_axis_holds_its_values(values, from_zero):
    axis = axis_for(np.array(values), from_zero=from_zero)
    slack = 1e-6 * (axis.high - axis.low)
    assert axis.low - slack <= min(values) <= max(values) <= axis.high + slack
    if from_zero:
        assert axis.low <= 0 <= axis.high


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ((0, 5), ["0", "1", "2", "3", "4", "5"]),
        ((0, 0.25), ["0", "0.05", "0.1", "0.15", "0.2", "0.25"]),
        ((-200, 200), ["-200", "-100", "0", "100", "200"]),
        ((0, 5000), ["0", "1,000", "2,000", "3,000", "4,000", "5,000"]),
        ((0, 3e6), ["0", "500k", "1M", "1.5M", "2M", "2.5M", "3M"]),
    ],
)
def test_labels_are_short(values, texts):
    assert [text for _, text in Axis(*values).ticks(6)] == texts


def test_lines_may_have_gaps_logarithms_and_single_points():
    n = np.array([1.0, 10, 100, 1000])
    gap = np.array([1.0, np.nan, 3, 4])
    chart = line_chart({"gap": (n, gap), "one": (n[:1], n[:1])}, log_x=True, log_y=True, points=True)
    assert np.asarray(chart).std() > 5


def test_mistakes_are_named():
    with pytest.raises(KinematchError, match=r"values of shape \(3, 3\) for 9 and 7 edges, expected \(8, 6\)"):
        heat_map(np.zeros((3, 3)), X, Y)
    with pytest.raises(KinematchError, match="edges must grow"):
        heat_map(VALUES, X[::-1], Y)
    with pytest.raises(KinematchError, match="full turn"):
        polar_map(VALUES, np.linspace(0, 9, 9), np.linspace(0, 3, 7))
    with pytest.raises(KinematchError, match="line 'a' has x of shape"):
        line_chart({"a": (np.zeros(3), np.zeros(4))})
    with pytest.raises(KinematchError, match="no lines"):
        line_chart({})
    with pytest.raises(KinematchError, match="no finite values"):
        line_chart({"a": (np.zeros(3), np.full(3, np.nan))})
    with pytest.raises(KinematchError, match="no finite values above zero"):
        line_chart({"a": (np.zeros(3), np.zeros(3))}, log_x=True)
    with pytest.raises(KinematchError, match="one for each group"):
        bar_chart(["a"], {"x": np.zeros(2)})
    with pytest.raises(KinematchError, match="positive values only"):
        Axis(0, 1, log=True)
    with pytest.raises(KinematchError, match="low before high"):
        Axis(1, 1)
    with pytest.raises(KinematchError, match="expected '#rrggbb'"):
        rgb("red")


def test_a_legend_of_many_names_is_not_cut_off():
    n = np.arange(5.0)
    names = ["dragged", "headset", "paper, r = 1", "paper, r = 50", "recurrent", "true direction", "the whole database"]
    chart = np.asarray(line_chart(dict.fromkeys(names, (n, n)), size=(420, 340)))
    assert (chart[:, -10:] == chart[0, 0]).all(), "names run over the right edge"
