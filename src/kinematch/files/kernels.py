"""Compiled reading of numbers straight from bytes, for the motion part of BVH; its plain twin is float()."""

import numpy as np

from kinematch.compile.jit import kernel

MINUS, PLUS, POINT, ZERO, NINE, UPPER_E, LOWER_E, NEWLINE, RETURN, SPACE = 45, 43, 46, 48, 57, 69, 101, 10, 13, 32

# ten to these powers is exact in float64, so that one product or quotient rounds once
EXACT_POWERS = 10.0 ** np.arange(23)


@kernel
def ends_line(data, i):
    """LF, CRLF (counted at the LF) or a lone CR."""
    return data[i] == NEWLINE or (data[i] == RETURN and (i + 1 == len(data) or data[i + 1] != NEWLINE))


@kernel
def survey_lines(data, start, width):
    """How many lines hold values, and the first line that does not hold `width` of them.

    Returns (lines with values, index of the first wrong line counting every line from `start`, its values,
    how many lines with values come before it); the index is -1 when every line is right.
    """
    filled, line, words, inside = 0, 0, 0, False
    wrong_line, wrong_words, before = -1, 0, 0
    for i in range(start, len(data) + 1):
        last = i == len(data)
        if last or ends_line(data, i):
            if words > 0:
                if words != width and wrong_line < 0:
                    wrong_line, wrong_words, before = line, words, filled
                filled += 1
            words, inside = 0, False
            line += 1
        elif data[i] <= SPACE:  # blanks, tabs and other control characters part the values
            inside = False
        elif not inside:
            inside = True
            words += 1
    return filled, wrong_line, wrong_words, before


@kernel
def parse_number(data, i):
    """The number that starts at i and where it ends; an end of -1 says that it is none. Within 1e-15 of float()."""
    negative = data[i] == MINUS
    if negative or data[i] == PLUS:
        i += 1
    digits, exponent, seen, point = np.int64(0), np.int64(0), 0, False
    while i < len(data):
        c = np.int64(data[i])  # where nothing is compiled, bytes would overflow
        if ZERO <= c <= NINE:
            seen += 1
            if digits < 100_000_000_000_000_000:  # 18 digits fit an int64, and float64 holds 17
                digits = digits * 10 + (c - ZERO)
                exponent -= point
            else:
                exponent += not point
        elif c == POINT and not point:
            point = True
        else:
            break
        i += 1
    if seen == 0:
        return 0.0, -1
    if i < len(data) and (data[i] == UPPER_E or data[i] == LOWER_E):
        i += 1
        down = i < len(data) and data[i] == MINUS
        if down or (i < len(data) and data[i] == PLUS):
            i += 1
        power, first = np.int64(0), i
        while i < len(data) and ZERO <= data[i] <= NINE:
            power = min(power * 10 + (np.int64(data[i]) - ZERO), np.int64(99_999))
            i += 1
        if i == first:
            return 0.0, -1
        exponent += -power if down else power
    if i < len(data) and data[i] > SPACE:
        return 0.0, -1
    value = float(digits)
    if -23 < exponent < 0:
        value /= EXACT_POWERS[-exponent]
    elif 0 < exponent < 23:
        value *= EXACT_POWERS[exponent]
    elif exponent != 0 and digits != 0:
        value *= 10.0 ** float(exponent)
    return (-value if negative else value), i


@kernel
def parse_lines(data, start, limit, values):
    """Fill values (F, C) from lines that survey_lines found right.

    Returns (position, frame) of the first word that is not a number or exceeds the limit in size, or (-1, -1).
    """
    i = start
    for f in range(values.shape[0]):
        for c in range(values.shape[1]):
            while data[i] <= SPACE:
                i += 1
            value, end = parse_number(data, i)
            if end < 0 or not abs(value) <= limit:
                return i, f
            values[f, c] = value
            i = end
    return -1, -1


@kernel
def euler_to_quaternions(angles, axes):
    """rotation.from_euler for (F, J, 3) radians with each joint's own axes (J, 3) in 0, 1, 2."""
    frames, joints = angles.shape[0], angles.shape[1]
    out = np.empty((frames, joints, 4), angles.dtype)
    for f in range(frames):
        for j in range(joints):
            w, v = 1.0, np.zeros(3)
            for k in range(3):
                axis = axes[j, k]
                half = angles[f, j, k] * 0.5
                c, s = np.cos(half), np.sin(half)
                # (w, v) * (c, s * e_axis), written out
                b, d = (axis + 1) % 3, (axis + 2) % 3
                w, v[axis], v[b], v[d] = (
                    w * c - v[axis] * s,
                    v[axis] * c + w * s,
                    v[b] * c + v[d] * s,
                    v[d] * c - v[b] * s,
                )
            out[f, j, 0] = w
            out[f, j, 1] = v[0]
            out[f, j, 2] = v[1]
            out[f, j, 3] = v[2]
    return out
