"""Selection: the n-th largest of a list, without sorting all of it (Hoare's quickselect)."""

from kinematch.compile.jit import inner


@inner
def find_nth_largest(values, count, nth):
    """The n-th largest of the first `count` values, which are put into another order."""
    low, high, wanted = 0, count - 1, nth - 1
    while low < high:
        pivot, i, j = values[(low + high) // 2], low, high
        while i <= j:
            while values[i] > pivot:
                i += 1
            while values[j] < pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i, j = i + 1, j - 1
        if wanted <= j:
            high = j
        elif wanted >= i:
            low = i
        else:
            break
    return values[wanted]
