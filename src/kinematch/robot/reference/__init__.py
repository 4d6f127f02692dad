"""References that policies track: joint angles, bodies and contacts under commands, now and ahead."""
