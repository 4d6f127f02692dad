"""The columns of the comparison: what each measure is called, its unit, and what the papers and peers reach."""

from typing import NamedTuple


class Column(NamedTuple):
    name: str
    text: str
    unit: str
    digits: int = 1


COLUMNS = (
    Column("direction_mean", "body direction, mean", "deg"),
    Column("direction_deviation", "standard deviation", "deg"),
    Column("direction_p95", "95 %", "deg"),
    Column("over_45", "over 45 degrees", "% of time"),
    Column("recovery", "wrong starts within 5 degrees after 0.5 s", "% of starts", 0),
    Column("parted", "head and hips over 30 degrees apart", "% of time"),
    Column("root", "root from below the head (as MMVR)", "cm"),
    Column("true_root", "root from the true one", "cm"),
    Column("hips", "hips", "cm"),
    Column("hips_yaw", "hips' direction as shown", "deg"),
    Column("head", "head", "cm", 2),
    Column("hands", "hands", "cm", 2),
    Column("position", "joints, position (head moved onto the true one)", "cm"),
    Column("upper", "upper body", "cm"),
    Column("lower", "lower body", "cm"),
    Column("angle", "joints, mean of rotation vector components", "deg"),
    Column("geodesic", "joints, angle", "deg"),
    Column("velocity", "joints, velocity", "cm/s"),
    Column("jitter", "jitter", "100 m/s^3", 2),
    Column("true_jitter", "jitter of the user", "100 m/s^3", 2),
    Column("skate", "foot skate", "cm/s"),
    Column("database_skate", "foot skate of the database", "cm/s"),
    Column("floating", "lower foot above the floor", "cm", 2),
    Column("turning", "hips' direction while turning in place", "deg"),
    Column("crouching", "height of hips while crouching", "cm"),
    Column("head_mm", "largest miss of the head", "mm", 3),
    Column("hands_mm", "miss of hands within reach, 99.9 %", "mm", 3),
    Column("near", "hands within 97 % of the arm", "% of time"),
)
BY_NAME = {column.name: column for column in COLUMNS}
