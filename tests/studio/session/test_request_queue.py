"""Messages that come faster than they can be done become one, without losing anything."""

from kinematch.studio.server.messages import ChangeSettings, Scrub, SetCrowd
from kinematch.studio.session.request_queue import QueuedMessage


def test_changes_of_settings_add_up():
    queued = QueuedMessage(ChangeSettings({"quality": 1.0, "weights": {"a": 1.0, "b": 1.0}}))
    assert queued.merge(ChangeSettings({"stay_bias": 0.1}))
    assert queued.merge(ChangeSettings({"quality": 2.0, "weights": {"b": 3.0}}))
    assert queued.take() == ChangeSettings({"quality": 2.0, "stay_bias": 0.1, "weights": {"a": 1.0, "b": 3.0}})


def test_of_others_the_last_one_counts():
    queued = QueuedMessage(SetCrowd(5))
    assert queued.merge(SetCrowd(9))
    assert queued.take() == SetCrowd(9)


def test_only_the_like_join_and_only_in_time():
    queued = QueuedMessage(ChangeSettings({"quality": 1.0}))
    assert not queued.merge(SetCrowd(9))
    assert not queued.merge(ChangeSettings({"quality": 1.0}, side="b"))
    queued.take()
    assert not queued.merge(ChangeSettings({"quality": 2.0}))
    assert QueuedMessage(Scrub(1)).merge(Scrub(2))


def test_a_dragged_slider_ends_where_it_was_let_go(studio_server):
    with studio_server.page() as page:
        for k in range(200):
            page.say("change_settings", values={"quality": 1 + k / 100, "weights": {"hips_velocity": 1 + k / 100}})
        page.say("reset_settings", names=["weights"])
        page.say("change_settings", values={"stay_bias": 0.5})
        told = page.message("settings_now", lambda s: s["a"]["stay_bias"] == 0.5)["a"]
        assert told["quality"] == 1 + 199 / 100
        assert told["weights"] == {}
        page.say("reset_settings")
        page.message("settings_now", lambda s: s["a"]["stay_bias"] != 0.5)
