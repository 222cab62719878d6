#!/usr/bin/env python3
"""MuJoCo's steps, graded by the law of dry friction: a table for docs/python_mujoco.md.

    make bench-mujoco-grade

Three scenes, each with MuJoCo's default settings and with tuned ones. Every step of a run is turned into the contact problem
that it solved (cardhouse.adapters.mujoco) and graded; the last row of a scene is Cardhouse's answer to the very problems of
the tuned run. Debian's libmujoco is used, through ctypes.
"""

import argparse
import pathlib

import libmujoco
import numpy as np

import cardhouse
from cardhouse.adapters import mujoco as adapter

H = 0.002  # s, MuJoCo's default
STEPS = 500
MARKS = ("<!-- grades: `make bench-mujoco-grade` writes them -->", "<!-- end of grades -->")

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
<body pos='0 0 0.3'><joint name='lift' type='slide' axis='0 0 1' damping='50'/>
 <geom type='box' size='0.15 0.03 0.01' contype='0' conaffinity='0'/>
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
    yield ("| scene | settings | natural, median | steps with natural ≤ 1e-4 | cone, worst | dissipation, J, worst "
           "| take-off, m/s, worst |")
    yield "|---|---|---|---|---|---|---|"
    for scene, (text, control) in SCENES.items():
        for name, (option, contact) in SETTINGS.items():
            xml = text(option.format(h=H), contact.format(twice=f"{2 * H:g} 1"))
            theirs, ours = grades(library, xml, control, name == "tuned")
            yield row(scene, "MuJoCo, " + name, theirs)
            if len(ours):
                yield row(scene, "Cardhouse, the same problems", ours)


def row(scene, name, figures):
    median, good, worst = np.median(figures[:, 0]), np.mean(figures[:, 0] <= 1e-4), np.max(figures[:, 1:], axis=0)
    return f"| {scene} | {name} | {median:.0e} | {100 * good:.0f} % | " + " | ".join(f"{value:.0e}" for value in worst) + " |"


def put_into(page, lines):
    """The table takes the place of the one between the two marks of the page."""
    before, rest = page.read_text().split(MARKS[0])
    page.write_text(before + MARKS[0] + "\n" + "\n".join(lines) + "\n" + MARKS[1] + rest.split(MARKS[1])[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", type=pathlib.Path, help="Markdown file that the table is put into")
    options = parser.parse_args()
    library = libmujoco.Library()
    number = library.version
    lines = [f"MuJoCo {number // 100}.{number // 10 % 10}.{number % 10}, {STEPS} steps of {1e3 * H:g} ms a row.", ""]
    print(lines[0] + "\n")
    for line in table(library):
        print(line, flush=True)
        lines.append(line)
    if options.page:
        put_into(options.page, lines)


if __name__ == "__main__":
    main()
