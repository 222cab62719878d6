#!/usr/bin/env python3
"""Random search learns to push a box to a goal: a linear policy, numpy, and less than a minute.

The search is the simplest there is: change all weights at random, keep the change where the mean return of a few episodes grows.
"""
import time

import numpy as np

from cardhouse.envs import Pushing

SCALE = np.array([10, 10, 10, 10, 1, 1, 0.1, 0.1])  # what is seen, in comparable size
SEEDS = range(8)  # episodes that every policy is tried on


def act(weights, seen):
    return np.tanh(weights @ np.append(seen * SCALE, 1.0))


def score(env, weights, seeds):
    """Mean return of an episode, and the worst certificate of all steps."""
    total, worst = 0.0, 0.0
    for seed in seeds:
        seen, _ = env.reset(seed=seed)
        ended = truncated = False
        while not (ended or truncated):
            seen, reward, ended, truncated, info = env.step(act(weights, seen))
            total, worst = total + reward, max(worst, info["natural"])
    return total / len(seeds), worst


def main(seconds=40.0):
    env, random = Pushing(), np.random.default_rng(0)
    best, size, tries, start = np.zeros((2, 9)), 0.5, 0, time.process_time()
    before, worst = score(env, best, SEEDS)
    reached = before
    while time.process_time() - start < seconds:
        trial = best + size * random.normal(size=best.shape)
        found, natural = score(env, trial, SEEDS)
        tries, worst = tries + 1, max(worst, natural)
        if found > reached:
            best, reached, size = trial, found, 1.2 * size
            print(f"{tries:4d} tries: return {reached:.3f}")
        else:
            size = max(0.98 * size, 0.02)
    unseen, natural = score(env, best, range(100, 110))
    print(f"return {before:.3f} before, {reached:.3f} after {tries} tries, {unseen:.3f} on goals not tried; worst certificate {worst:.1e}")
    return {"before": before, "after": reached, "unseen": unseen, "natural": max(worst, natural), "weights": best}


if __name__ == "__main__":
    main()
