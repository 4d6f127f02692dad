"""The page's types are those of the server."""

from pathlib import Path

from kinematch.studio.typescript import typescript

PAGE = Path(__file__).parents[2] / "client" / "src" / "messages.ts"


def test_the_committed_types_are_up_to_date():
    assert PAGE.read_text() == typescript(), "run: python -m kinematch.studio.typescript > client/src/messages.ts"
