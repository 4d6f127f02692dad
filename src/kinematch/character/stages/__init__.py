"""The stages of a step in plain numpy: they define what the kernels do, and read like the papers.

Each works on the rows `characters` (M,) of a State. Stages of a step, in order: schedule (whose turn it is to search),
predict, ask, project (the source), transition, advance (the source), adjust, decode, layers, feet.
"""
