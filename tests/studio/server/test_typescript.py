"""The page's types are those of the server."""

from pathlib import Path

from kinematch.studio.server.typescript import typescript

PAGE = Path(__file__).parents[3] / "client" / "src" / "messages.ts"


def test_the_committed_types_are_up_to_date():
    assert PAGE.read_text() == typescript(), (
        "run: python -m kinematch.studio.server.typescript > client/src/messages.ts"
    )
