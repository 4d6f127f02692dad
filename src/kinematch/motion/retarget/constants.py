"""Thresholds of the corrections of retargeted poses."""

HANDS_FREE, HANDS_TOGETHER, HANDS_IN_WORLD = 0, 1, 2  # places in settings.HANDS
# of a leg's length from hip to ankle
EASILY = 0.985  # straighter than this a leg is held only where the source's is
EASE = 0.005  # by which legs stretch while the pelvis begins to come down
STRAIGHTEST = 0.9995 - EASE
MAX_PELVIS_DROP = 0.2  # by which the pelvis comes down at most
HEAVY_FOOT, FREE_FOOT = 0.08, 0.3  # height of a foot up to which it lowers the pelvis fully, and from which not at all
# of an arm's length: hands nearer than the first are led to meet, those farther apart than the second are free
NEAR_HANDS, FAR_HANDS = 0.5, 1.0
ROUNDS = 2  # of pushing elbows, then wrists: what one does the other may undo in part
