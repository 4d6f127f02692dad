"""The types of the workshop's pages are those of the server."""

from pathlib import Path

from kinematch.studio.workshop.typescript import typescript

PAGE = Path(__file__).parents[3] / "client" / "src" / "workshop" / "messages.ts"


def test_the_committed_types_are_up_to_date():
    command = "python -m kinematch.studio.workshop.typescript > client/src/workshop/messages.ts"
    assert PAGE.read_text() == typescript(), f"run: {command}"
