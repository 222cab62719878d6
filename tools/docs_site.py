#!/usr/bin/env python3
"""The documentation as a static site: `make docs` builds it in build/site. Python's standard library only.

Every page of docs/, README.md, CONTRIBUTING.md, SECURITY.md, CHANGELOG.md and bench/ becomes a page of HTML with navigation and
search; source files that pages link to become pages, too; pictures and films are copied. With --program, replays of built-in scenes
are made and shown, live, on the page "Replays". A Markdown link that leads nowhere ends the build with its page and target."""
import argparse
import html
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# The navigation: heading, then pages; a page of docs/ that no row names comes under the last heading.
GROUPS = [
    ("Start", ["README.md", "docs/README.md", "docs/first_scene.md", "docs/tutorials.md", "docs/cookbook.md", "docs/glossary.md"]),
    ("Tutorials", ["docs/tutorial_robot.md", "docs/tutorial_hopper.md", "docs/tutorial_arch.md", "docs/tutorial_soft.md",
                   "docs/tutorial_solver.md", "docs/coming_from.md"]),
    ("Scenes", ["docs/scene.md", "docs/world.md", "docs/granular.md", "docs/soft_bodies.md", "docs/gallery.md", "replays.md"]),
    ("Running", ["docs/run.md", "docs/view.md", "docs/replay.md", "docs/render.md", "docs/export.md", "docs/sweep.md", "docs/measure.md",
                 "docs/limit_analysis.md", "docs/command_line.md"]),
    ("Solving", ["docs/quick_start.md", "docs/certificate.md", "docs/methods.md", "docs/stepping.md", "docs/rest.md", "docs/collision.md",
                 "docs/mcp.md"]),
    ("Python", ["docs/python.md"]),
    ("C and files", ["docs/library.md", "docs/files.md", "docs/trajectory.md", "docs/feed.md", "docs/viewer_protocol.md"]),
    ("Extending", ["docs/adding_a_method.md", "docs/adding_a_law.md", "docs/adding_a_joint.md", "docs/adding_a_shape.md",
                   "docs/adding_a_command.md", "CONTRIBUTING.md", "docs/style.md"]),
    ("Evidence", ["docs/reproduce.md", "docs/validation.md", "docs/granular_physics.md", "docs/errata.md", "docs/references.md",
                  "bench/README.md", "bench/RESULTS.md", "bench/clock.md", "SECURITY.md", "CHANGELOG.md"]),
    ("Theory", ["docs/theory/README.md"]),
    ("More", []),
]
# Built-in scenes that the page "Replays" shows: name, parameters, seconds, what is seen.
REPLAYS = [
    ("cards", ["--blocks", "6"], 6, "A house of cards that small blocks hit"),
    ("domino", [], 4, "Dominoes, the first of which falls"),
    ("arch", ["--form", "semicircle", "--mu", "0.3"], 3, "A semicircular arch with too little friction"),
    ("newtons-cradle", [], 4, "Balls on pendulums"),
    ("soft-bar", [], 3, "A rubber bar on the edge of a step"),
]
TAGS = "a|b|br|code|div|em|i|img|kbd|p|source|span|strong|sub|sup|video"
TEXT_FILES = (".c", ".h", ".py", ".json", ".ts", ".mjs", ".geo", ".txt", ".1", ".in", ".cmake", ".ipynb", ".csv", ".sh")


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def all_pages():
    found = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]
    found += [f"bench/{name}" for name in os.listdir(os.path.join(SOURCE, "bench")) if name.endswith(".md")]
    for folder, _, names in os.walk(os.path.join(SOURCE, "docs")):
        found += [os.path.relpath(os.path.join(folder, name), SOURCE) for name in names if name.endswith(".md")]
    return sorted(path for path in found if os.path.exists(os.path.join(SOURCE, path)))


def anchor(heading):
    """As GitHub makes it from a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def page_url(path):
    """Where a page or a linked file stands in the site; docs/ is the root, and its README is the contents."""
    if path == "README.md":
        return "index.html"
    if path == "docs/README.md":
        return "contents.html"
    if path.startswith("docs/"):
        path = path[len("docs/"):]
    return path[:-len(".md")] + ".html" if path.endswith(".md") else "files/" + path + ".html"


class Writer:
    """Markdown as these pages use it: headings, paragraphs, lists, tables, code, quotations of HTML."""

    def __init__(self, site, path):
        self.site, self.path, self.url = site, path, page_url(path)
        self.folder = posixpath.dirname(path)
        self.headings, self.words = [], []

    def link(self, target):
        if re.match(r"[a-z]+:", target):
            return target
        name, _, fragment = target.partition("#")
        if not name:
            return "#" + fragment
        return self.site.url_of(self, posixpath.normpath(posixpath.join(self.folder, name)), fragment)

    def inline(self, text):
        kept = []

        def keep(markup):
            kept.append(markup)
            return f"\0{len(kept) - 1}\0"

        text = re.sub(r"(``?)(.+?)\1", lambda m: keep(f"<code>{html.escape(m.group(2).strip(), quote=False)}</code>"), text, flags=re.S)
        text = re.sub(r"\\([*_|`\\])", lambda m: keep(html.escape(m.group(1))), text)
        text = re.sub(rf"</?(?:{TAGS})(?=[\s/>])[^<>]*>", lambda m: keep(self.markup(m.group(0))), text)
        text = html.escape(text, quote=False)
        text = re.sub(r"!\[([^\]]*)\]\(([^)\s]+)\)",
                      lambda m: keep(f'<img src="{html.escape(self.link(m.group(2)))}" alt="{html.escape(m.group(1))}" loading="lazy">'), text)
        text = re.sub(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)",
                      lambda m: keep(f'<a href="{html.escape(self.link(m.group(2)))}">') + m.group(1) + keep("</a>"), text)
        text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text, flags=re.S)
        text = re.sub(r"(?<![\w*])\*([^*\s](?:[^*]*[^*\s])?)\*(?![\w*])", r"<em>\1</em>", text, flags=re.S)
        while "\0" in text:
            text = re.sub(r"\0(\d+)\0", lambda m: kept[int(m.group(1))], text)
        return text

    def markup(self, tag):
        """HTML inside a page: its sources and links lead into the site."""
        return re.sub(r'\b(src|href)="([^"]+)"', lambda m: f'{m.group(1)}="{html.escape(self.link(html.unescape(m.group(2))))}"', tag)

    def heading(self, line):
        level = len(line) - len(line.lstrip("#"))
        text = line.lstrip("#").strip()
        name = anchor(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text))
        self.headings.append((level, name, re.sub(r"[`*]", "", text)))
        self.words.append(text)
        return f'<h{level} id="{name}">{self.inline(text)}<a class="here" href="#{name}" aria-label="link to this section">#</a></h{level}>'

    def table(self, lines):
        rows = [re.split(r"(?<!\\)\|", line.strip().removeprefix("|").removesuffix("|")) for line in lines]
        out = ["<div class=\"wide\"><table>"]
        for number, row in enumerate(rows):
            if number == 1 and all(re.fullmatch(r"[\s:-]*", cell) for cell in row):
                continue
            kind = "th" if number == 0 else "td"
            self.words += row
            out.append("<tr>" + "".join(f"<{kind}>{self.inline(cell.strip())}</{kind}>" for cell in row) + "</tr>")
        return "\n".join(out + ["</table></div>"])

    def listing(self, lines):
        """A list, with paragraphs, code and lists inside its items."""
        ordered = bool(re.match(r"\s*\d+\. ", lines[0]))
        indent = len(lines[0]) - len(lines[0].lstrip())
        items = []
        for line in lines:
            match = re.match(r"(\s*)([*-]|\d+\.) +(.*)", line)
            if match and len(match.group(1)) == indent:
                items.append([match.group(3)])
                inner = len(line) - len(match.group(3))
            else:
                items[-1].append(line[min(inner, len(line) - len(line.lstrip())):])
        tag = "ol" if ordered else "ul"
        body = ""
        for item in items:
            text = self.blocks(item)
            single = re.fullmatch(r"<p>(.*)</p>", text, re.S)
            body += f"<li>{single.group(1) if single and '<p>' not in single.group(1) else text}</li>\n"
        return f"<{tag}>\n{body}</{tag}>"

    def blocks(self, lines):
        out, at = [], 0
        while at < len(lines):
            line = lines[at]
            start = at
            if not line.strip():
                at += 1
            elif line.startswith("```"):
                at += 1
                while at < len(lines) and not lines[at].startswith("```"):
                    at += 1
                out.append("<pre><code>" + html.escape("\n".join(lines[start + 1:at]), quote=False) + "</code></pre>")
                at += 1
            elif line.startswith("    "):
                while at < len(lines) and (lines[at].startswith("    ") or (not lines[at].strip() and at + 1 < len(lines)
                                                                           and lines[at + 1].startswith("    "))):
                    at += 1
                out.append("<pre><code>" + html.escape("\n".join(row[4:] for row in lines[start:at]), quote=False) + "</code></pre>")
            elif line.startswith("#"):
                out.append(self.heading(line))
                at += 1
            elif line.startswith("|"):
                while at < len(lines) and lines[at].startswith("|"):
                    at += 1
                out.append(self.table(lines[start:at]))
            elif re.match(r"([*-]|\d+\.) ", line):
                while at < len(lines) and (re.match(r"\s*([*-]|\d+\.) ", lines[at]) or lines[at].startswith("  ")
                                           or (lines[at].strip() and lines[at - 1].strip())
                                           or (not lines[at].strip() and at + 1 < len(lines)
                                               and re.match(r"([*-]|\d+\.) |  \S", lines[at + 1]))):
                    if re.match(r"[#|]|```", lines[at]):
                        break
                    at += 1
                out.append(self.listing([row for row in lines[start:at]]))
            elif line.startswith("<!--"):
                while at < len(lines) and "-->" not in lines[at]:
                    at += 1
                at += 1
            elif line.startswith("<"):
                while at < len(lines) and lines[at].strip():
                    at += 1
                out.append(self.markup("\n".join(lines[start:at])))
            else:
                while at < len(lines) and lines[at].strip() and not re.match(r"#|\||```|([*-]|\d+\.) ", lines[at]):
                    at += 1
                at = max(at, start + 1)
                self.words.append(" ".join(lines[start:at]))
                out.append(f"<p>{self.inline(chr(10).join(lines[start:at]))}</p>")
        return "\n".join(out)


class Site:
    def __init__(self, out):
        self.out, self.faults = out, []
        self.pages = all_pages()
        self.files, self.copies, self.index = set(), set(), []
        self.anchors = {}

    def url_of(self, writer, path, fragment):
        """Relative address of a page, a picture or a source file that a page links to."""
        full = os.path.join(SOURCE, path)
        if path.endswith(".md") and path in self.pages:
            url = page_url(path)
            if fragment:
                url += "#" + fragment
        elif os.path.isdir(full):
            url = page_url(path + "/README.md") if path + "/README.md" in self.pages else self.copy_folder(path)
        elif not os.path.exists(full):
            self.faults.append(f"{writer.path}: {path} is not there")
            return "#"
        elif path.endswith(TEXT_FILES) or "." not in posixpath.basename(path) or path.endswith(".md"):
            self.files.add(path)
            url = "files/" + path + ".html"
        else:
            self.copies.add(path)
            url = path.removeprefix("docs/")
        return posixpath.relpath(url, posixpath.dirname(writer.url) or ".")

    def copy_folder(self, path):
        self.files.add(path)
        return "files/" + path + ".html"

    def write(self, url, text):
        path = os.path.join(self.out, url)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def title(self, path):
        match = re.search(r"^# (.*)$", read(path), re.M) if path != "replays.md" else None
        return re.sub(r"[`*]|\[|\]\([^)]*\)", "", match.group(1)) if match else "Replays" if path == "replays.md" else path

    def groups(self, replays):
        named = {path for _, paths in GROUPS for path in paths}
        for heading, paths in GROUPS:
            paths = [path for path in paths if path in self.pages or (path == "replays.md" and replays)]
            for page in self.pages:
                family = "Theory" if page.startswith("docs/theory/") else "Python" if page.startswith("docs/python_") else "More"
                if page not in named and family == heading:
                    paths.append(page)
            if paths:
                yield heading, paths

    def navigation(self, url, groups):
        out = []
        for heading, paths in groups:
            here = any(page_url(path) == url for path, _ in paths)
            out.append(f"<details{' open' if here or heading == 'Start' else ''}><summary>{heading}</summary><ul>")
            for path, title in paths:
                at = page_url(path) if path != "replays.md" else "replays.html"
                mark = ' aria-current="page"' if at == url else ""
                out.append(f'<li><a href="{posixpath.relpath(at, posixpath.dirname(url) or ".")}"{mark}>{html.escape(title)}</a></li>')
            out.append("</ul></details>")
        return "\n".join(out)

    def frame(self, url, title, body, groups):
        root = posixpath.relpath(".", posixpath.dirname(url) or ".")
        return PAGE.format(title=html.escape(title), root=root, navigation=self.navigation(url, groups), body=body)

    def build(self, program, replays):
        shutil.rmtree(self.out, ignore_errors=True)
        groups = [(heading, [(path, self.title(path)) for path in paths]) for heading, paths in self.groups(replays)]
        for path in self.pages:
            writer = Writer(self, path)
            body = writer.blocks(read(path).split("\n"))
            self.anchors[path] = {name for _, name, _ in writer.headings}
            title = writer.headings[0][2] if writer.headings else path
            self.write(writer.url, self.frame(writer.url, title, body, groups))
            text = re.sub(r"[`*|]|\[|\]\([^)]*\)|<[^>]*>", " ", " ".join(writer.words))
            self.index.append({"u": writer.url, "t": title, "h": [[name, text] for _, name, text in writer.headings[1:]],
                               "x": " ".join(text.split())[:20000]})
        for path in sorted(self.files):
            self.write("files/" + path + ".html", self.frame("files/" + path + ".html", path, self.file_body(path), groups))
        for path in sorted(self.copies):
            target = os.path.join(self.out, path.removeprefix("docs/"))
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copyfile(os.path.join(SOURCE, path), target)
        if replays:
            self.replay_page(program, groups)
        self.write("style.css", STYLE)
        self.write("search.js", "const PAGES = " + json.dumps(self.index, separators=(",", ":")).replace("</", "<\\/") + ";\n" + SEARCH)

    def file_body(self, path):
        full = os.path.join(SOURCE, path)
        if os.path.isdir(full):
            rows = "".join(f"<li>{html.escape(name)}</li>" for name in sorted(os.listdir(full)))
            return f"<h1>{html.escape(path)}/</h1>\n<ul>{rows}</ul>"
        return f"<h1>{html.escape(path)}</h1>\n<pre class=\"file\"><code>{html.escape(read(path), quote=False)}</code></pre>"

    def replay_page(self, program, groups):
        body = "<h1>Replays</h1>\n<p>Each frame below is a file that <code>cardhouse replay</code> wrote: turn it, play it, click a body.</p>\n"
        os.makedirs(os.path.join(self.out, "replays"), exist_ok=True)
        for name, parameters, seconds, what in REPLAYS:
            words = ["replay", name, *parameters, "--until", str(seconds)]
            target = f"replays/{name}.html"
            subprocess.run([program, *words, "--size-limit", "4", "--out", os.path.join(self.out, target)], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            body += (f'<h2 id="{name}">{html.escape(what)}</h2>\n<p><code>cardhouse {" ".join(words)} --out {name}.html</code> '
                     f'(<a href="{target}">alone</a>)</p>\n<iframe src="{target}" title="{html.escape(what)}" loading="lazy"></iframe>\n')
        self.write("replays.html", self.frame("replays.html", "Replays", body, groups))
        self.index.append({"u": "replays.html", "t": "Replays", "h": [[row[0], row[3]] for row in REPLAYS], "x": ""})


PAGE = """<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · Cardhouse</title>
<link rel="stylesheet" href="{root}/style.css">
</head>
<body data-root="{root}">
<a class="skip" href="#content">Skip to the text</a>
<nav aria-label="Pages">
<p class="name"><a href="{root}/index.html">Cardhouse</a></p>
<input id="search" type="search" placeholder="Search ( / )" aria-label="Search the pages" autocomplete="off">
<ol id="found" hidden></ol>
{navigation}
</nav>
<main id="content">
{body}
</main>
<script src="{root}/search.js" defer></script>
</body>
</html>
"""

STYLE = """:root { color-scheme: light dark; --ink: #1d232a; --paper: #ffffff; --soft: #f3f5f7; --line: #d7dce2; --link: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e7ec; --paper: #14181d; --soft: #1d232a; --line: #343c46; --link: #7db8f5; } }
* { box-sizing: border-box; }
body { margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr); font: 16px/1.55 system-ui, sans-serif;
  color: var(--ink); background: var(--paper); }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1rem; background: var(--soft); border-right: 1px solid var(--line); }
nav ul { list-style: none; margin: 0 0 .6rem; padding: 0 0 0 .6rem; }
nav a { display: block; padding: .12rem 0; text-decoration: none; }
nav a[aria-current] { font-weight: 600; color: var(--ink); }
summary { cursor: pointer; font-weight: 600; }
.name { margin: 0 0 .6rem; font-size: 1.2rem; font-weight: 700; }
#search { width: 100%; padding: .4rem .5rem; margin-bottom: .6rem; font: inherit; color: inherit; background: var(--paper);
  border: 1px solid var(--line); border-radius: 4px; }
#found { margin: 0 0 1rem; padding-left: 1.2rem; }
main { max-width: 54rem; padding: 1.2rem 2rem 5rem; }
a { color: var(--link); }
h1, h2, h3 { line-height: 1.25; margin: 1.8em 0 .5em; }
h1 { margin-top: .4em; }
.here { visibility: hidden; margin-left: .4em; text-decoration: none; }
h1:hover .here, h2:hover .here, h3:hover .here, .here:focus { visibility: visible; }
pre { overflow-x: auto; padding: .7rem .9rem; background: var(--soft); border: 1px solid var(--line); border-radius: 4px; font-size: .86rem; }
code { font-family: ui-monospace, monospace; font-size: .9em; }
pre code { font-size: inherit; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0; font-size: .92rem; }
th, td { border: 1px solid var(--line); padding: .35rem .55rem; text-align: left; vertical-align: top; }
th { background: var(--soft); }
img, video { max-width: 100%; height: auto; background: #fff; }
iframe { width: 100%; height: 30rem; border: 1px solid var(--line); border-radius: 4px; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 1rem; top: 1rem; z-index: 1; background: var(--paper); padding: .5rem; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; border-right: 0; } main { padding: 1rem; } }
"""

SEARCH = """const root = document.body.dataset.root;
const box = document.getElementById("search"), found = document.getElementById("found");
const score = (page, words) => {
  let sum = 0;
  for (const word of words) {
    const title = page.t.toLowerCase().includes(word), heading = page.h.some((h) => h[1].toLowerCase().includes(word));
    const count = page.x.toLowerCase().split(word).length - 1;
    if (!title && !heading && !count) return 0;
    sum += (title ? 20 : 0) + (heading ? 8 : 0) + Math.min(count, 6);
  }
  return sum;
};
const look = () => {
  const words = box.value.toLowerCase().split(/\\s+/).filter((word) => word.length > 1);
  found.replaceChildren();
  found.hidden = !words.length;
  if (!words.length) return;
  const best = PAGES.map((page) => [score(page, words), page]).filter((row) => row[0] > 0).sort((a, b) => b[0] - a[0]).slice(0, 12);
  for (const [, page] of best) {
    const heading = page.h.find((h) => words.some((word) => h[1].toLowerCase().includes(word)));
    const link = document.createElement("a");
    link.href = root + "/" + page.u + (heading ? "#" + heading[0] : "");
    link.textContent = page.t + (heading ? ": " + heading[1] : "");
    found.appendChild(document.createElement("li")).appendChild(link);
  }
  if (!best.length) found.appendChild(document.createElement("li")).textContent = "nothing found";
};
box.addEventListener("input", look);
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== box) { event.preventDefault(); box.focus(); }
});
"""


def main():
    parser = argparse.ArgumentParser(description="Builds the documentation as a static site.")
    parser.add_argument("--out", default="build/site", help="folder of the site, made anew")
    parser.add_argument("--program", default="build/cardhouse", help="makes the replays")
    parser.add_argument("--no-replays", action="store_true", help="leaves the page of replays out")
    options = parser.parse_args()
    site = Site(options.out)
    site.build(os.path.abspath(options.program), not options.no_replays)
    for fault in site.faults:
        print(f"docs_site: {fault}", file=sys.stderr)
    print(f"{len(site.pages)} pages, {len(site.files)} files, {len(site.copies)} pictures: {options.out}/index.html")
    return 1 if site.faults else 0


if __name__ == "__main__":
    sys.exit(main())
