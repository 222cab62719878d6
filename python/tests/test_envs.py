#!/usr/bin/env python3
"""Environments: Gymnasium's interface without Gymnasium, the same episode from the same seed, tasks that can be done."""
import sys
import unittest

import numpy as np

import cardhouse.envs as envs

ALL = (envs.AddCard, envs.PegInHole, envs.Pushing)


def episode(env, policy, seed=0):
    """Rewards added up, the last info, and whether the task ended."""
    seen, info = env.reset(seed=seed)
    total, ended, truncated = 0.0, False, False
    while not (ended or truncated):
        seen, reward, ended, truncated, info = env.step(policy(seen))
        total += reward
    return total, info, ended


def put_card(seen):
    """Over the place, down, let go."""
    above = abs(seen[0]) < 0.02
    return [-8 * seen[0] - 2 * seen[3], -6 * (seen[2] - 0.01) if above else 0.0, float(above and seen[2] < 0.02)]


def put_peg(seen):
    """Upright and over the hole in the air, then down."""
    ready = abs(seen[0]) < 1e-4 and abs(seen[2]) < 2e-3 or seen[1] < 0.05
    return [-100 * seen[0], -0.6 if ready else 0.0, -10 * seen[2]]


class Environments(unittest.TestCase):
    def test_what_is_seen_and_done_lies_in_the_spaces(self):
        for make in ALL:
            env = make()
            seen, info = env.reset(seed=3)
            self.assertTrue(env.observation_space.contains(seen), make)
            self.assertTrue(env.action_space.contains(env.action_space.sample()))
            seen, reward, ended, truncated, info = env.step(env.action_space.sample())
            self.assertTrue(env.observation_space.contains(seen))
            self.assertEqual((seen.dtype, type(reward), type(ended), type(truncated)), (np.float32, float, bool, bool))
            self.assertLess(info["natural"], 1e-8)

    def test_a_seed_makes_the_same_episode_bit_for_bit(self):
        for make in ALL:
            env = make()
            env.action_space.seed(5)
            actions = [env.action_space.sample() * 0.4 for _ in range(20)]
            paths = []
            for _ in range(2):
                env.reset(seed=11)
                paths.append([env.step(action)[0] for action in actions])
            np.testing.assert_array_equal(*paths)

    def test_a_card_is_added_and_the_house_stands(self):
        for seed in range(3):
            total, info, ended = episode(envs.AddCard(), put_card, seed)
            self.assertTrue(ended and total > 0.5, (total, info))

    def test_a_card_that_is_dropped_from_the_side_does_not_lie_there(self):
        total, _, ended = episode(envs.AddCard(), lambda seen: [1, 0, float(seen[0] > 0.6)])
        self.assertTrue(ended and total < 0)

    def test_a_peg_that_is_led_well_goes_in(self):
        for seed in range(3):
            total, info, ended = episode(envs.PegInHole(), put_peg, seed)
            self.assertTrue(ended and info["depth"] > 0.9, (total, info))

    def test_pushing_at_the_middle_moves_the_box_towards_the_goal(self):
        total, info, _ = episode(envs.Pushing(), lambda seen: [1.0, 0.0], seed=1)
        self.assertNotEqual(total, 0.0)

    def test_a_push_off_the_middle_sticks_or_slips_as_the_cone_says(self):
        env = envs.Pushing()
        env.reset(seed=1)
        stuck = [env.step([1.0, 0.0])[4]["sticking"] for _ in range(30)]
        self.assertTrue(any(stuck))

    def test_gymnasium_is_not_imported_where_it_is_not(self):
        try:
            import gymnasium  # noqa: F401
        except ImportError:
            self.assertNotIn("gymnasium", sys.modules)
            self.assertIs(envs.Pushing().unwrapped.__class__, envs.Pushing)

    def test_wrong_actions_raise(self):
        env = envs.Pushing()
        env.reset(seed=0)
        for action in ([0.0], [np.nan, 0.0], "x", None):
            with self.assertRaises((ValueError, TypeError)):
                env.step(action)


if __name__ == "__main__":
    unittest.main()
