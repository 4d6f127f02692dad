"""Environments in which a policy tracks a robot's reference, as gymnasium and MuJoCo see them."""

import warnings

import numpy as np
import pytest

from kinematch.errors import KinematchError


@pytest.fixture(scope="module")
def make_env(need_extra, source, biped):
    need_extra("mujoco", "gym")
    need_extra("gymnasium", "gym")
    from kinematch.robot.simulation.environment import RobotEnv, RobotVectorEnv

    def make(count=None, **options):
        if count is None:
            return RobotEnv(biped, source, **options)
        return RobotVectorEnv(biped, source, count, **options)

    return make


def test_gymnasium_accepts_the_environment(make_env):
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*Box observation space m.+imum value is -?infinity")
        check_env(make_env(), skip_render_check=True)


def test_a_robot_starts_where_its_reference_is(make_env, source):
    env = make_env()
    seen, info = env.reset(seed=1, options={"frame": 40, "velocity": (0.5, 0.0)})
    assert info["frame"] == 40
    assert np.allclose(seen["joint_positions"], source[1].angles[40], atol=1e-6)
    assert np.allclose(seen["joint_positions"], seen["reference_joint_positions"][0], atol=1e-6)
    assert np.allclose(seen["reference_base_positions"][0], 0, atol=1e-6)
    assert np.allclose(seen["reference_joint_velocities"][0], seen["joint_velocities"], atol=1e-5)
    errors = env.tracking.find_errors(env.tracking.actions)
    assert all(np.abs(values).max() < 1e-5 for values in errors)
    reward, terminated = env.step(np.zeros(env.action_space.shape))[1:3]
    assert reward > 0.8
    assert not terminated


def test_a_robot_that_gives_up_falls_and_its_episode_ends(make_env):
    env = make_env()
    env.reset(seed=0, options={"frame": 0, "velocity": (0.0, 0.0)})
    env.tracking.robot.model.actuator_gainprm[:] = 0.0  # no controller holds it
    env.tracking.robot.model.actuator_biasprm[:] = 0.0
    rewards = []
    for _ in range(100):
        _, reward, terminated, truncated, _ = env.step(np.zeros(env.action_space.shape))
        rewards.append(reward)
        if terminated or truncated:
            break
    assert terminated
    assert rewards[-1] < 0.5 < rewards[0]


def test_many_robots_do_what_one_does(make_env):
    many, one = make_env(3), make_env()
    options = {"frame": 10, "velocity": (0.6, 0.0)}
    seen, _ = many.reset(seed=0, options=options)
    alone, _ = one.reset(seed=5, options=options)
    assert many.observation_space.contains(seen)
    for _ in range(5):
        seen, rewards, lost, late, _ = many.step(np.zeros(many.action_space.shape))
        alone, reward, *_ = one.step(np.zeros(one.action_space.shape))
        assert np.allclose(rewards[0], reward, atol=1e-5)
        assert all(np.allclose(seen[name][0], alone[name], atol=1e-4) for name in alone)
    assert rewards.shape == lost.shape == late.shape == (3,)


def test_a_robot_whose_episode_ended_begins_again_in_the_next_step(make_env):
    from kinematch.robot.simulation.rewards import TrackingSettings

    env = make_env(2, settings=TrackingSettings(episode_seconds=0.06))
    env.reset(seed=0)
    still = np.zeros(env.action_space.shape)
    ends = [env.step(still)[2:4] for _ in range(3)][-1]
    assert (ends[0] | ends[1]).all()
    _, rewards, lost, late, _ = env.step(still)
    assert not (lost | late).any()
    assert (rewards == 0).all()  # the step of the reset has none
    assert env.tracking.steps.tolist() == [0, 0]


def test_the_spring_holds_the_base(make_env):
    env = make_env()
    env.tracking.hold_base(400.0, 40.0)
    env.reset(seed=0, options={"frame": 0, "velocity": (0.0, 0.0)})
    for _ in range(50):
        env.step(np.zeros(env.action_space.shape))
    errors = env.tracking.find_errors(env.tracking.actions)
    assert errors.base_position[0] < 0.03
    assert errors.tilt[0] < 0.1


def test_bad_input_is_an_error(make_env, tmp_path):
    from kinematch.robot.read import read_robot
    from kinematch.robot.simulation.rewards import TrackingSettings
    from kinematch.robot.simulation.simulated_robot import open_in_mujoco

    env = make_env()
    wrong = {"frame": (10**9, "frames"), "frames": (3, "'frames', expected"), "velocity": (1.0, "expected two numbers")}
    for option, (value, message) in wrong.items():
        with pytest.raises(KinematchError, match=message):
            env.reset(options={option: value})
    env.reset()
    with pytest.raises(KinematchError, match="actions have shape"):
        env.step(np.full(env.action_space.shape, np.nan))
    with pytest.raises(KinematchError, match="max_tilt"):
        TrackingSettings(max_tilt=-1.0)
    hostile = tmp_path / "hostile.xml"
    hinge = '<joint name="a" axis="0 1 0"/><geom size="0.1"/>'
    grown = '<composite type="grid" count="99999 99999 1" spacing="1"/>'
    for body in (f"<body>{hinge}{grown}</body>", f'<body name="b">{hinge}<body name="b"/></body>'):
        hostile.write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
        with pytest.raises(KinematchError, match=r"hostile\.xml"):
            open_in_mujoco(read_robot(hostile))
