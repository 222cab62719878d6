#!/usr/bin/env python3
"""Random search learns to put a peg into a hole: a linear policy, numpy, and less than a minute.

The search is the simplest there is: change all weights at random, keep the change where the mean return of a few episodes grows.
"""
import time

import numpy as np

from cardhouse.envs import PegInHole

SCALE = np.array([250.0, 10.0, 12.0])  # place and angle of the peg, in comparable size
SEEDS = range(8)  # episodes that every policy is tried on


def act(weights, seen):
    return np.tanh(weights @ np.append(SCALE * seen[:3], 1.0))


def score(env, weights, seeds):
    """Mean return of an episode, the share of pegs that went in, and the worst certificate of all steps."""
    total, inside, worst = 0.0, 0, 0.0
    for seed in seeds:
        seen, _ = env.reset(seed=seed)
        ended = truncated = False
        while not (ended or truncated):
            seen, reward, ended, truncated, info = env.step(act(weights, seen))
            total, worst = total + reward, max(worst, info["natural"])
        inside += ended
    return total / len(seeds), inside / len(seeds), worst


def main(tries=30, unseen=range(100, 120)):
    env, random = PegInHole(), np.random.default_rng(0)
    first = np.zeros((3, 4))
    first[1, -1] = -0.6  # it begins by going straight down
    best, (before, share, worst) = first, score(env, first, SEEDS)
    reached = before
    print(f"straight down: return {before:.3f}, {100 * share:.0f} % go in")
    for k in range(tries):
        trial = best + 0.5 * random.normal(size=best.shape)
        found, share, natural = score(env, trial, SEEDS)
        worst = max(worst, natural)
        if found > reached:
            best, reached = trial, found
            print(f"{k + 1:4d} tries: return {reached:.3f}, {100 * share:.0f} % go in")
    shares = [score(env, weights, unseen)[1] for weights in (first, best)]
    print(f"of {len(unseen)} other starts {100 * shares[0]:.0f} % go in before, {100 * shares[1]:.0f} % after {tries} tries; "
          f"worst certificate {worst:.1e}")
    return {"before": before, "after": reached, "shares": shares, "natural": worst, "weights": best}


if __name__ == "__main__":
    main()
