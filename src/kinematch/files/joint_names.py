"""Unique joint names, even if those of the file are not."""


def unique_names(names: list[str]) -> tuple[str, ...]:
    """Later joints of a name that is taken get a number: `Foot`, `Foot_2`."""
    taken, used, found = set(names), set(), []
    counts: dict[str, int] = {}
    for name in names:
        unique = name
        while unique in used or (unique != name and unique in taken):
            counts[name] = counts.get(name, 1) + 1
            unique = f"{name}_{counts[name]}"
        used.add(unique)
        found.append(unique)
    return tuple(found)
