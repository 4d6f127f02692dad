"""Motions to go back to: what was played stays in the library, and a page can play it again."""

import pytest

from kinematch.errors import KinematchError
from kinematch.studio.session.library import BUILT_IN, BUILT_IN_ACTIONS, MAX_DATABASES, LibraryMotion, MotionLibrary
from kinematch.studio.session.stage import Stage


def test_a_new_build_takes_the_place_of_the_old_and_the_oldest_leave(database):
    library = MotionLibrary()
    for number in range(MAX_DATABASES + 3):
        library.put(Stage(database, name="mine", path=f"/folder{number}/mine.kinematch"))
    assert library.names[0] == BUILT_IN
    assert len(library.names) == 2 + MAX_DATABASES
    assert len(set(library.names)) == 2 + MAX_DATABASES
    before = library.names
    again = Stage(database, name="mine", path=f"/folder{MAX_DATABASES + 2}/mine.kinematch")
    library.put(again)
    assert library.names == before
    assert library.get(library.find_name(again)).path == again.path
    with pytest.raises(KinematchError, match="no motion 'yours'"):
        library.get("yours")


def test_a_page_goes_back_to_what_was_played_before(fresh_server, database):
    with fresh_server.page() as page:
        assert page.welcome["motions"] == [BUILT_IN, BUILT_IN_ACTIONS]
        for name in ("first", "second"):
            fresh_server.studio.open(LibraryMotion(name, f"/folder/{name}.kinematch", database))
            told = page.message("welcome", lambda m, name=name: m["motion"] == name)
        assert told["motions"] == [BUILT_IN, BUILT_IN_ACTIONS, "first", "second"]
        page.say("open_motion", name="first")
        page.message("welcome", lambda m: m["motion"] == "first")
        page.say("open_motion", name="third")
        assert "first" in page.message("error_message")["message"]


def test_a_page_plays_one_motion_beside_another(fresh_server, database):
    with fresh_server.page() as page:
        for name in ("first", "second"):
            fresh_server.studio.open(LibraryMotion(name, f"/folder/{name}.kinematch", database))
            page.message("welcome", lambda m, name=name: m["motion"] == name)
        page.say("open_motion", name="first", beside=["second"])
        told = page.message("welcome", lambda m: m["motion"] == "first")
        assert told["compared"] == ["second"]
        page.pose(lambda header, arrays: header["characters"] == 2)
        page.say("open_motion", name="second")
        assert page.message("welcome", lambda m: m["motion"] == "second")["compared"] == []
        page.say("open_motion", name="first")  # as it was left
        assert page.message("welcome", lambda m: m["motion"] == "first")["compared"] == ["second"]
        page.say("open_motion", name="first", beside=[])
        assert page.message("welcome", lambda m: m["motion"] == "first")["compared"] == []
        page.say("open_motion", name="first", beside=["third"])
        assert "no motion 'third'" in page.message("error_message")["message"]
