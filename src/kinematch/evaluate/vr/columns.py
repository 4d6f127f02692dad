"""The columns of the comparison: what each measure is called, its unit, and what the papers and peers reach."""

from typing import NamedTuple


class VrColumn(NamedTuple):
    name: str
    text: str
    unit: str
    digits: int = 1


COLUMNS = (
    VrColumn("direction_mean", "body direction, mean", "deg"),
    VrColumn("direction_deviation", "standard deviation", "deg"),
    VrColumn("direction_p95", "95 %", "deg"),
    VrColumn("over_45", "over 45 degrees", "% of time"),
    VrColumn("recovery", "wrong starts within 5 degrees after 0.5 s", "% of starts", 0),
    VrColumn("parted", "head and hips over 30 degrees apart", "% of time"),
    VrColumn("root", "root from below the head (as MMVR)", "cm"),
    VrColumn("true_root", "root from the true one", "cm"),
    VrColumn("hips", "hips", "cm"),
    VrColumn("hips_yaw", "hips' direction as shown", "deg"),
    VrColumn("head", "head", "cm", 2),
    VrColumn("hands", "hands", "cm", 2),
    VrColumn("position", "joints, position (head moved onto the true one)", "cm"),
    VrColumn("upper", "upper body", "cm"),
    VrColumn("lower", "lower body", "cm"),
    VrColumn("angle", "joints, mean of rotation vector components", "deg"),
    VrColumn("geodesic", "joints, angle", "deg"),
    VrColumn("velocity", "joints, velocity", "cm/s"),
    VrColumn("jitter", "jitter", "100 m/s^3", 2),
    VrColumn("true_jitter", "jitter of the user", "100 m/s^3", 2),
    VrColumn("skate", "foot skate", "cm/s"),
    VrColumn("database_skate", "foot skate of the database", "cm/s"),
    VrColumn("floating", "lower foot above the floor", "cm", 2),
    VrColumn("turning", "hips' direction while turning in place", "deg"),
    VrColumn("crouching", "height of hips while crouching", "cm"),
    VrColumn("head_mm", "largest miss of the head", "mm", 3),
    VrColumn("hands_mm", "miss of hands within reach, 99.9 %", "mm", 3),
    VrColumn("near", "hands within 97 % of the arm", "% of time"),
)
BY_NAME = {column.name: column for column in COLUMNS}
