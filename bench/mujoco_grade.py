#!/usr/bin/env python3
"""MuJoCo's steps, graded by the law of dry friction: a table for docs/python_mujoco.md.

    python3 bench/mujoco_grade.py [--markdown]

Three scenes, each with MuJoCo's default settings and with tuned ones. Every step of a run is turned into the contact problem
that it solved (cardhouse.adapters.mujoco) and graded; the last row of a scene is Cardhouse's answer to the very problems of
the tuned run. Debian's libmujoco is used, through ctypes.
"""

import argparse

import numpy as np

import cardhouse
import libmujoco
from cardhouse.adapters import mujoco as adapter

H = 0.002  # s, MuJoCo's default
STEPS = 500

SETTINGS = {
    "default": ("<option timestep='{h}'/>", ""),
    "elliptic": ("<option timestep='{h}' cone='elliptic'/>", ""),
    "tuned": ("<option timestep='{h}' cone='elliptic' impratio='100' tolerance='1e-12'/>",
              "solref='{twice}' solimp='0.99 0.999 0.0001'"),
}

SLOPE = """<mujoco>{option}<default><geom friction='0.5 0.005 0.0001' {contact}/></default><worldbody>
<geom type='plane' size='20 20 1' euler='0 {degrees} 0'/>
<body pos='{x} 0 {z}' euler='0 {degrees} 0'><freejoint/><geom type='box' size='0.1 0.1 0.05'/></body>
</worldbody></mujoco>"""

STACK = """<mujoco>{option}<default><geom friction='0.5 0.005 0.0001' {contact}/></default><worldbody>
<geom type='plane' size='5 5 1'/>{boxes}</worldbody></mujoco>"""

GRASP = """<mujoco>{option}<default><geom friction='0.8 0.005 0.0001' density='500' {contact}/></default><worldbody>
<geom type='plane' size='5 5 1'/>
<body pos='0 0 0.1'><freejoint/><geom type='box' size='0.05 0.05 0.1'/></body>
<body pos='0 0 0.3'><joint name='lift' type='slide' axis='0 0 1' damping='50'/><geom type='box' size='0.15 0.03 0.01' contype='0' conaffinity='0'/>
 <body pos='-0.0605 0 -0.1'><joint name='left' type='slide' axis='1 0 0'/><geom type='box' size='0.01 0.02 0.08'/></body>
 <body pos='0.0605 0 -0.1'><joint name='right' type='slide' axis='1 0 0'/><geom type='box' size='0.01 0.02 0.08'/></body>
</body></worldbody><actuator><position joint='lift' kp='2000'/><motor joint='left'/><motor joint='right'/></actuator></mujoco>"""


def slope(option, contact):
    angle = np.arctan(0.9 * 0.5)  # 0.9 of the angle of friction: by Coulomb's law the box stays where it is
    return SLOPE.format(option=option, contact=contact, degrees=np.degrees(angle), x=0.05 * np.sin(angle), z=0.05 * np.cos(angle))


def stack(option, contact):
    boxes = "".join(f"<body pos='0 0 {0.1 + 0.2 * k:g}'><freejoint/><geom type='box' size='0.1 0.1 0.1'/></body>" for k in range(5))
    return STACK.format(option=option, contact=contact, boxes=boxes)


def grasp(option, contact):
    return GRASP.format(option=option, contact=contact)


def lift(data):
    """Fingers press with 40 N each; from 0.3 s on the hand rises by 0.2 m/s."""
    data.ctrl[:] = (0.2 * max(data.time - 0.3, 0.0) + 2.0 * 9.81 / 2000, 40.0, -40.0)


SCENES = {"box on slope": (slope, None), "grasp": (grasp, lift), "stack of five": (stack, None)}


def grades(library, xml, control, solve):
    """The figures of every step: natural, cone, dissipation, largest take-off; of Cardhouse's answers, too, where asked."""
    model, data = library.load(xml)
    theirs, ours = [], []
    for _ in range(STEPS):
        if control:
            control(data)
        library.step(model, data)
        step = adapter.last_step(model, data)
        c = step.certificate
        theirs.append((c.natural, c.cone, c.dissipation, step.take_off.largest))
        if solve:
            answer = cardhouse.solve(step.problem, warm=step.reaction)
            off = cardhouse.take_off(step.problem, answer.r)
            ours.append((answer.certificate.natural, answer.certificate.cone, answer.certificate.dissipation, off.largest))
    return np.array(theirs), np.array(ours)


def table(library):
    yield "| scene | settings | natural, median | natural, worst | cone, worst | dissipation, J, worst | take-off, m/s, worst |"
    yield "|---|---|---|---|---|---|---|"
    for scene, (text, control) in SCENES.items():
        for name, (option, contact) in SETTINGS.items():
            xml = text(option.format(h=H), contact.format(twice=f"{2 * H:g} 1"))
            theirs, ours = grades(library, xml, control, name == "tuned")
            yield row(scene, "MuJoCo, " + name, theirs)
            if len(ours):
                yield row(scene, "Cardhouse, the same problems", ours)


def row(scene, name, figures):
    median, worst = np.median(figures[:, 0]), np.max(figures, axis=0)
    return f"| {scene} | {name} | {median:.1e} | " + " | ".join(f"{value:.1e}" for value in worst) + " |"


def main():
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    library = libmujoco.Library()
    print(f"MuJoCo {library.version // 100}.{library.version // 10 % 10}.{library.version % 10}, steps of {H:g} s, {STEPS} of them\n")
    for line in table(library):
        print(line, flush=True)


if __name__ == "__main__":
    main()
