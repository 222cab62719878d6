#!/usr/bin/env python3
"""Runs a program that was built with ThreadSanitizer: a scene and a solve on four threads, and the viewer with four clients.

    tests/tools/threads.py build-tsan/cardhouse build-tsan/make_problems

Exit status 1, with the reports, where a data race was seen. The program must come from clang: its OpenMP tells the sanitizer, by
the tool Archer, what its barriers order; gcc's tells it nothing, and every parallel loop would look like a race.
"""
import glob
import os
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
PATIENCE = 300.0
RACE = 66  # exit status of a program in which one was seen


def find_archer():
    """It lies beside clang's own libraries, two folders above the resources of one version, and no path leads there."""
    resources = subprocess.run(["clang", "-print-resource-dir"], capture_output=True, text=True, check=True).stdout.strip()
    archer = os.path.normpath(os.path.join(resources, "..", "..", "libarcher.so"))
    if not os.path.exists(archer):
        sys.exit(f"{archer} is missing: without Archer every parallel loop looks like a race")
    return archer


def environment(log):
    """Reports go to files. What libraries do among themselves, which were not built for the sanitizer, is left out.
    So are leaked threads: the sanitizer does not know pthread_timedjoin_np, by which the viewer's is joined."""
    archer = find_archer()
    options = f"exitcode={RACE} log_path={log} ignore_noninstrumented_modules=1 report_thread_leaks=0"
    return {**os.environ, "TSAN_OPTIONS": options, "OMP_TOOL_LIBRARIES": archer, "OMP_NUM_THREADS": "4",
            "OPENBLAS_NUM_THREADS": "1"}


def run(words, env, **more):
    result = subprocess.run(words, env=env, capture_output=True, text=True, timeout=PATIENCE, **more)
    if result.returncode not in (0, RACE):
        sys.exit(f"{' '.join(words)}: ended with {result.returncode}: {result.stderr}")
    return result.stdout


def run_scenes(program, maker, env, folder):
    spheres = run([program, "scene", "box-of-spheres", "--n", "40"], env)
    run([program, "run", "-", "--threads", "4", "--until", "0.15", "--quiet", "--out", os.path.join(folder, "a.h5")], env,
        input=spheres)
    pyramid = os.path.join(folder, "pyramid.hdf5")  # enough contacts of spheres for sweeps by colours on threads
    run([maker, "pyramid", "--n", "15", "--mu", "0.4", "--out", pyramid], os.environ)
    run([program, "solve", pyramid, "--method", "ansgs", "--threads", "4", "--max-iterations", "20", "--quiet"], env)
    pile = os.path.join(folder, "pile.hdf5")
    run([maker, "pile", "--n", "20", "--out", pile], os.environ)
    run([program, "solve", pile, "--method", "nsgs", "--set", "nsgs.colors=1", "--threads", "4", "--max-iterations", "50",
         "--quiet"], env)


def look(serve, server, orders):
    """A client: reads what comes, and orders now and then."""
    page = serve.Page(server)
    for k in range(60):
        page.message()
        if k % 10 == 9:
            page.send(**orders[k // 10 % len(orders)])
            page.send(type="run")  # or nobody would hear of anything any more


def view(program, env):
    os.environ.update(env)
    os.environ["CARDHOUSE"] = program
    sys.path.insert(0, os.path.dirname(HERE))
    import viewer_client as serve
    server = serve.Server("cards", "--compare", "pgs,auto")
    orders = [{"type": "pause"}, {"type": "step"}, {"type": "reset"}, {"type": "speed", "value": 0.5},
              {"type": "set", "name": "method", "value": "nsgs"}]
    clients = [threading.Thread(target=look, args=(serve, server, orders[k:] + orders[:k])) for k in range(4)]
    for client in clients:
        client.start()
    for client in clients:
        client.join(PATIENCE)
    server.close()


def main():
    program, maker = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "race")
        env = environment(log)
        run_scenes(program, maker, env, folder)
        view(program, env)
        reports = glob.glob(log + "*")
        for path in reports:
            with open(path, encoding="utf-8") as file:
                print(file.read())
        if reports:
            sys.exit(f"{len(reports)} processes with data races")
    print("a scene and a solve on four threads, the viewer with four clients: no data race")


if __name__ == "__main__":
    main()
