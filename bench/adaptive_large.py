#!/usr/bin/env python3
"""What the default of adaptive steps changes: every built-in scene with "adaptive" `large` and with `off`.

    adaptive_large.py PROGRAM [STEPS]        one row for each scene with steps of 500 contacts or more; others have the same motion
"""
import json
import subprocess
import sys

LARGE = 500  # contacts, from which on `large` halves


def run(program, scene, adaptive, steps):
    scene["step"]["adaptive"] = {"on": adaptive}
    until = steps * scene["step"]["h"]
    done = subprocess.run([program, "run", "-", "--until", str(until), "--json", "--quiet"], input=json.dumps(scene),
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main(program, steps):
    listed = subprocess.run([program, "scene", "list", "--json"], capture_output=True, text=True, check=True)
    print("| scene | contacts | missed, off | missed, large | worst natural, off | large |\n" + "|---" * 6 + "|")
    for name in (row["name"] for row in json.loads(listed.stdout)["scenes"]):
        made = subprocess.run([program, "scene", name], capture_output=True, text=True, check=True)
        scene = json.loads(made.stdout)
        if "h" not in scene.get("step", {}):
            continue
        off = run(program, scene, "off", steps)
        if off["contacts"]["max"] < LARGE:
            continue
        large = run(program, scene, "large", steps)
        print(f"| {name} | {off['contacts']['max']} | {off['missed_steps']} of {off['steps']} | {large['missed_steps']}",
              f"| {off['certificate']['natural']['max']:.1e} | {large['certificate']['natural']['max']:.1e} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 50)
