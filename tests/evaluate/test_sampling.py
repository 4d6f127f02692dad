"""What is shown at any rate is seen alike."""

import numpy as np
import pytest

from kinematch.evaluate.sampling import SCORED, seen_values


@pytest.mark.parametrize("rate", [20.0, 30.0, 60.0, 120.0, 250.0, 500.0])
def test_a_smooth_motion_is_seen_alike_at_any_rate(rate):
    def motion(times):
        return np.stack([np.sin(7 * times), np.cos(5 * times) + times], axis=-1)

    seen = seen_values(motion(np.arange(round(2 * rate) + 1) / rate), rate)
    assert len(seen) == 2 * SCORED + 1
    np.testing.assert_allclose(seen, motion(np.arange(len(seen)) / SCORED), atol=2e-3)
