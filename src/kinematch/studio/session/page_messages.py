"""Page messages: what pages ask of a stage, done on the engine's thread."""

from kinematch.studio.server import messages
from kinematch.studio.server.answers import FromServer, Situation
from kinematch.studio.session.presets import PresetFolder
from kinematch.studio.session.stage import Stage
from kinematch.studio.session.welcome import ground, settings_now

News = FromServer | bytes | type[Situation]  # a message, a frame, or that the situation has changed


def follow_message(stage: Stage, message: messages.PageMessage, presets: PresetFolder) -> list[News]:
    """Change a stage, on the engine's thread; returns the message to all pages."""
    match message:
        case messages.ChangeSettings(values, side):
            stage.change_settings(values, side)
            return [settings_now(stage)]
        case messages.ResetSettings(names, side):
            stage.reset_settings(names, side)
            return [settings_now(stage)]
        case messages.LoadPreset(name, side):
            stage.set_settings(presets.load(name), side)
            return [settings_now(stage)]
        case messages.Compare(on):
            stage.compare(on)
            return [Situation, settings_now(stage)]
        case messages.Scrub(step):
            beside = stage.history.at(step).lineup
            return [Situation, stage.scrub(step), *([beside] if beside else [])]
        case messages.FollowPath(keypoints, loops):
            stage.pilot.follow(keypoints, loops)
        case messages.SteerBy(how):
            stage.pilot.steer_by(how)
        case messages.SetCrowd(count):
            stage.set_crowd(count)
        case messages.SetTerrain(kind):
            stage.set_terrain(kind)
            return [Situation, ground(stage)]
        case messages.Act(action):
            stage.acts.do(action, stage.crowds["a"])
        case messages.StartOver():
            stage.start_over()
        case messages.Pause():
            stage.playing = False
        case messages.Resume(step):
            stage.resume(step)
    return [Situation]
