#!/usr/bin/env python3
"""Runs a benchmark and makes what it prints a section of a file of results, in place of that section's last contents.

    python3 bench/results_section.py [--results FILE] SECTION -- COMMAND [WORD ...]

The section says when, where and how the figures were made: date, commit, processor, load, command, duration. Everything outside
the section stays as it is; a new section goes to its place in the order below. The file is replaced in one move, or not at all: a command
that fails leaves it alone, and its exit status is passed on.

Exit status: 0 written, 2 not understood, 3 cannot be read or written, otherwise that of the command.
"""
import argparse
import datetime
import fcntl
import os
import re
import shlex
import stat
import subprocess
import sys
import tempfile
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RESULTS = os.path.join("bench", "RESULTS.md")

SECTIONS = {  # in the order of the file: heading, and what the reader types for the newest figures
    "solvers": ("Solvers", "make bench-solvers PROBLEMS=folder"),
    "portfolio": ("Portfolio", "make bench-portfolio PROBLEMS=folder"),
    "ordering": ("The ordering of Kaufman 2009, section 6.7.3", "make bench-ordering"),
    "large": ("Large problems", "make bench-large"),
    "engines": ("Engines", "make bench-engines"),
    "collide": ("Collision", "make bench-collide"),
    "scale": ("Beds of ever more pebbles", "make bench-scale"),
    "meshes": ("Meshes", "make bench-meshes [BEFORE=program]"),
    "viewer": ("Viewer", "make bench-viewer"),
    "python": ("Python", "make bench-python"),
}

PREAMBLE = """# Measured figures

Programs write this file: each section is the newest run of one benchmark, with its machine, commit, load and command. Older figures are in the
history of this file. [README.md](README.md) says what each benchmark measures and how to read its tables. What is written here by hand is lost
with the next run.
"""


class Unusable(Exception):
    """The file of results cannot be used; the text says why."""


def begin(name):
    return f"<!-- section {name}: `{SECTIONS[name][1]}` writes it -->"


def end(name):
    return f"<!-- end of section {name} -->"


def marker(line):
    """(name, begins) of a line that opens or closes a section, or None."""
    opens = re.fullmatch(r"<!-- section (\w+): .*-->", line)
    closes = re.fullmatch(r"<!-- end of section (\w+) -->", line)
    return (opens[1], True) if opens else (closes[1], False) if closes else None


def split(text):
    """[(section or None, its lines)] of a file; markers belong to their section."""
    parts, inside = [(None, [])], None
    for number, line in enumerate(text.splitlines(), 1):
        found = marker(line)
        if found and found[1]:
            if inside:
                raise Unusable(f"line {number}: section '{found[0]}' begins inside section '{inside}', whose end marker is missing")
            if any(name == found[0] for name, _ in parts):
                raise Unusable(f"line {number}: section '{found[0]}' is there twice")
            inside = found[0]
            parts.append((inside, []))
        elif found and found[0] != inside:
            raise Unusable(f"line {number}: section '{found[0]}' ends and has not begun")
        parts[-1][1].append(line)
        if found and not found[1]:
            inside = None
            parts.append((None, []))
    if inside:
        raise Unusable(f"section '{inside}' has no end marker")
    return parts


def place(parts, name):
    """Index of the section's part; where there is none an empty one is made, before the first that comes after it."""
    for k, (other, _) in enumerate(parts):
        if other == name:
            return k
    order = list(SECTIONS)
    for k, (other, _) in enumerate(parts):
        if other in order and order.index(other) > order.index(name):
            parts.insert(k, (name, []))
            return k
    parts.append((name, []))
    return len(parts) - 1


def replaced(text, name, body):
    """The file's text with `body` as that section; None stands for no file."""
    parts = split(PREAMBLE if text is None else text)
    at = place(parts, name)
    parts[at] = (name, [begin(name), f"## {SECTIONS[name][0]}", "", *body.strip("\n").splitlines(), end(name)])
    pieces = ["\n".join(lines).strip("\n") for _, lines in parts]
    return "\n\n".join(piece for piece in pieces if piece) + "\n"


def write(path, name, body):
    """Replaces the section; other runs wait for each other by a lock on the folder."""
    folder = os.path.dirname(os.path.abspath(path))
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        text, mode = None, 0o644
        if os.path.exists(path):
            mode = stat.S_IMODE(os.stat(path).st_mode)
            if not mode & stat.S_IWUSR:  # asked of the file itself: a privileged user, or a move over it, would not notice
                raise Unusable("is read-only")
            with open(path, encoding="utf-8") as file:
                text = file.read()
        handle, draft = tempfile.mkstemp(dir=folder, prefix=".results-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(replaced(text, name, body))
                file.flush()
                os.fsync(file.fileno())
            os.chmod(draft, mode)
            os.replace(draft, path)
        except BaseException:
            os.unlink(draft)
            raise
    finally:
        os.close(lock)


def first(path, pattern, otherwise):
    try:
        with open(path, encoding="utf-8") as file:
            found = re.search(pattern, file.read(), re.M)
    except OSError:
        found = None
    return found[1] if found else otherwise


def commit():
    """Of the sources, which must be this script's own repository: "unknown" in an unpacked archive."""
    def git(*words):
        return subprocess.run(["git", "-C", SOURCE, *words], capture_output=True, text=True, check=False)
    try:
        if os.path.realpath(git("rev-parse", "--show-toplevel").stdout.strip() or "/") != os.path.realpath(SOURCE):
            return "unknown"
        changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", f":(exclude){RESULTS}").stdout.strip()
        return git("rev-parse", "--short=10", "HEAD").stdout.strip() + (" with changes" if changed else "")
    except OSError:
        return "unknown"


def shown(word):
    """A word of the command without the places of one machine."""
    if not os.path.isabs(word):
        return word
    return os.path.relpath(word, SOURCE) if word.startswith(SOURCE + os.sep) else os.path.basename(word.rstrip("/"))


def conditions(began, load, revision, seconds, command):
    processor = first("/proc/cpuinfo", r"^model name\s*: (.*)$", "unknown processor")
    system = first("/etc/os-release", r'^PRETTY_NAME="?([^"\n]*)', "unknown system")
    return (f"{began:%Y-%m-%d %H:%M} UTC, commit {revision}; {processor}, {os.cpu_count()} processors, {system}; load average {load[0]:.1f} before "
            f"and {os.getloadavg()[0]:.1f} after; {seconds:.0f} s.\n\n    {shlex.join(shown(word) for word in command)}\n")


def run(command):
    """(exit status, what it printed), shown while it comes."""
    printed = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8", errors="replace") as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            printed.append(line)
    return process.returncode if process.returncode >= 0 else 128 - process.returncode, "".join(printed)


def options(words):
    parser = argparse.ArgumentParser(prog="results_section", description=__doc__.splitlines()[0])
    parser.add_argument("--results", default=os.path.join(SOURCE, RESULTS), metavar="FILE")
    parser.add_argument("section", choices=SECTIONS, metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("command", nargs="+", metavar="COMMAND")
    return parser.parse_args(words)


def main():
    wanted = options(sys.argv[1:])
    began, load, revision, start = datetime.datetime.now(datetime.timezone.utc), os.getloadavg(), commit(), time.monotonic()
    try:
        status, printed = run(wanted.command)
    except OSError as error:
        print(f"results_section: {wanted.command[0]}: {error.strerror}", file=sys.stderr)
        return 3
    if status or any(marker(line) for line in printed.splitlines()):
        why = f"ended with status {status}" if status else "printed a marker of sections"
        print(f"results_section: {wanted.command[0]} {why}: {wanted.results} stays as it is", file=sys.stderr)
        return status or 3
    try:
        made = conditions(began, load, revision, time.monotonic() - start, wanted.command)
        write(wanted.results, wanted.section, f"{made}\n{printed}")
    except (OSError, UnicodeDecodeError, Unusable) as error:
        print(f"results_section: {wanted.results}: {getattr(error, 'strerror', None) or error}", file=sys.stderr)
        return 3
    print(f"{wanted.results}: section '{SECTIONS[wanted.section][0]}' is new", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
