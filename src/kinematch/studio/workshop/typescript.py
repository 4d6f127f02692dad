"""TypeScript for the workshop's pages: types of its messages, written from their definitions.

python -m kinematch.studio.workshop.typescript > client/src/workshop/messages.ts
"""

import sys

from kinematch.studio.typescript import interface
from kinematch.studio.workshop import messages


def typescript() -> str:
    """The whole file."""
    structs = [one for one in vars(messages).values() if isinstance(one, type) and issubclass(one, messages.Message)]
    edits = [one.__name__ for one in structs if one.__struct_config__.tag]
    parts = ["// Written by `python -m kinematch.studio.workshop.typescript`; change workshop/messages.py instead.\n"]
    parts += [interface(one) for one in structs if one is not messages.Message]
    parts.append("export type Edit =\n" + "\n".join(f"  | {name}" for name in edits) + ";\n")
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(typescript())
