#!/usr/bin/env python3
"""`cardhouse reproduce`: every item in its quick form ends with verdicts, the page is whole, results are kept, and neither
Ctrl-C nor a full disk spoils it."""
import html.parser
import json
import os
import pty
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree as xml

PROGRAM = os.environ.get("CARDHOUSE", "build/cardhouse")
CHROMIUM = os.environ.get("CARDHOUSE_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
VOID = {"meta", "img", "col", "br", "hr", "input", "link"}
VERDICTS = {"reproduced", "differs", "ours alone", "not run"}
DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs")
MISSED = re.compile(r"\b([1-9]\d*) of \d+ steps missed (?![^;)]*which is the claim)")
ITEMS = os.environ.get("CARDHOUSE_ITEMS", "all").split()  # fewer of them under sanitizers, which take several times as long
SMALL = "004-fig2.8"  # an item of less than a second


def run(*words, **options):
    return subprocess.run([PROGRAM, "reproduce", *words], capture_output=True, text=True, timeout=1700, **options)


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read()


def cells(line):
    """Of a row of a Markdown table, as text."""
    return [re.sub(r"\\(.)", r"\1", cell).strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def findings(markdown):
    """Rows of the items' tables: what, printed, ours, verdict."""
    inside = False
    for line in markdown.splitlines():
        inside = line.startswith("| | printed") or (inside and line.startswith("|"))
        if inside and not line.startswith(("| | printed", "|---")):
            yield cells(line)


class Page(html.parser.HTMLParser):
    """Tags that open and close, ids and targets."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.sources, self.faults = [], [], [], [], []
        self.feed(text)
        self.faults += [f"{tag} is never closed" for tag in self.open]

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids += [attributes["id"]] if "id" in attributes else []
        target = attributes.get("href")
        (self.links if tag == "a" else self.sources).extend([target] if target else [])
        self.sources += [attributes["src"]] if "src" in attributes else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        if dict(attributes).get("href"):
            self.sources.append(dict(attributes)["href"])

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> at {self.getpos()}")


class Quick(unittest.TestCase):
    """All items, or those that were asked for, once."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.markdown = os.path.join(cls.folder, "validation.md")
        listed = [line.split()[0] for line in run("list").stdout.splitlines() if line[0] != " "]
        cls.names = listed if ITEMS == ["all"] else [name for name in listed if name in ITEMS]
        cls.first = run(*ITEMS, "--quick", "--json", "--out", cls.folder, "--markdown", cls.markdown)
        cls.page = read(cls.folder, "index.html")

    def test_every_item_ends_with_verdicts_and_reasons(self):
        self.assertEqual(self.first.returncode, 0, self.first.stdout[-3000:] + self.first.stderr)
        self.assertEqual(self.first.stderr, "")
        answer = json.loads(self.first.stdout)
        self.assertEqual([item["name"] for item in answer["items"]], self.names)
        for item in answer["items"]:
            with self.subTest(item=item["name"]):
                self.assertIsNone(item["failure"])
                self.assertTrue(item["findings"])
                for finding in item["findings"]:
                    self.assertIn(finding["verdict"], VERDICTS)
                    self.assertTrue(finding["what"] and finding["printed"])
                    self.assertEqual(finding["verdict"] == "reproduced", finding["reason"] == "", finding)
                    self.assertNotRegex(finding["ours"], r"\bnan\b", finding)
                    self.assertNotIn("no rule stated", finding["basis"], finding)

    def test_nothing_is_reproduced_that_is_not_printed_or_missed_a_step(self):
        for name in self.names:
            report = json.loads(read(self.folder, "items", name + ".json"))["report"]
            for finding in report["rows"] + report["claims"]:
                if finding["verdict"] != "reproduced":
                    continue
                with self.subTest(item=name, what=finding["what"]):
                    self.assertIsNotNone(finding["printed"])
                    self.assertNotRegex(finding["printed"], "not printed")
                    self.assertNotRegex(finding["basis"], MISSED)
                    self.assertNotIn("not its setting", finding["basis"])

    def test_the_page_is_whole_and_needs_nothing_else(self):
        page = Page(self.page)
        self.assertEqual(page.faults, [])
        self.assertEqual([name for name in page.ids if name in self.names], self.names)
        for link in page.links:
            self.assertTrue(link.startswith("#") and link[1:] in page.ids, link)
        for source in page.sources:
            self.assertTrue(source.startswith("data:image/png;base64,"), source[:80])
        self.assertNotIn("<script", self.page)
        self.assertNotRegex(self.page, r"[ML\"]-?nan")

    def test_charts_are_drawings_of_their_own(self):
        charts = re.findall(r"<svg .*?</svg>", self.page, re.S)
        self.assertGreater(len(charts), len(self.names) / 2)
        for chart in charts:
            xml.fromstring(chart)

    def test_the_second_run_is_served_from_the_first(self):
        second = run(*ITEMS, "--quick", "--json", "--out", self.folder)
        self.assertEqual(second.returncode, 0, second.stderr)
        first, second = json.loads(self.first.stdout)["items"], json.loads(second.stdout)["items"]
        self.assertTrue(all(item["kept"] for item in second))
        self.assertEqual([item["findings"] for item in first], [item["findings"] for item in second])

    def test_the_table_tells_every_item(self):
        table = run(*ITEMS, "--quick", "--out", self.folder)
        self.assertEqual(table.returncode, 0)
        for name in self.names:
            self.assertIn(f"\n{name}  ", table.stdout)
        self.assertRegex(table.stdout, r"\d+ reproduced, \d+ differ, \d+ are ours alone, \d+ not run\n")

    def test_the_validation_page_tells_every_item(self):
        text = read(self.markdown)
        for name in self.names:
            self.assertIn(f"\n### `{name}`: ", text)
        rule = text.split("\n\n")[1]
        self.assertIn(rule, " ".join(read(DOCS, "reproduce.md").split()))
        count = sum(len(item["findings"]) for item in json.loads(self.first.stdout)["items"])
        rows = list(findings(text))
        self.assertEqual(len(rows), count)
        for row in rows:
            self.assertEqual(len(row), 4, row)


class Validation(unittest.TestCase):
    """docs/validation.md as it was last written."""

    def test_it_keeps_the_rule_at_its_head(self):
        text = read(DOCS, "validation.md")
        head = text.split("\n## ")[0]
        self.assertIn("*Reproduced* means that the document prints it, that our run had its setting", head)
        for fact in ("machine", "date", "commit", "load before it began"):
            self.assertIn(f"\n* {fact}: ", head)
        self.assertIn("all run by this command\n", head)
        rows = list(findings(text))
        self.assertGreater(len(rows), 300)
        counts = {verdict: 0 for verdict in VERDICTS}
        for what, printed, ours, verdict in rows:
            with self.subTest(what=what):
                word = re.match(r"\**(reproduced|differs|ours alone|not run)\b", verdict)
                self.assertTrue(word, verdict)
                counts[word[1]] += 1
                self.assertNotIn("no rule stated", verdict)
                if word[1] == "reproduced":
                    self.assertNotIn("not printed", printed)
                    self.assertNotRegex(verdict, MISSED)
                    self.assertIn("judged by: ", verdict)
                else:
                    self.assertRegex(verdict, "because: |as said")
        told = re.search(r"Findings: (\d+) reproduced, (\d+) differ, (\d+) are ours alone, (\d+) not run", head)
        self.assertEqual([int(n) for n in told.groups()],
                         [counts[v] for v in ("reproduced", "differs", "ours alone", "not run")])


class Words(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def test_unknown_words_are_answered_with_the_nearest(self):
        for words, near in ((["004-fig28"], "did you mean '004-fig2.8'"), (["--quik", "all"], "did you mean '--quick'")):
            result = run(*words, "--out", self.folder)
            self.assertEqual(result.returncode, 2)
            self.assertIn(near, result.stderr)
        for words in (["all", "--jobs", "0"], [SMALL, "--pictures", "perhaps"], [SMALL, "--markdown", "/nowhere/x.md"],
                      [SMALL, "--engines-csv", "/nowhere/x.csv"]):
            self.assertEqual(run(*words, "--out", self.folder).returncode, 2, words)

    def test_patterns_choose_items(self):
        answer = json.loads(run("004-fig2.?", "--quick", "--json", "--out", self.folder).stdout)
        self.assertEqual([item["name"] for item in answer["items"]], [SMALL])

    def test_the_page_keeps_what_earlier_runs_left(self):
        for words in ([SMALL, "--quick"], ["000-fig1", "--quick"]):
            run(*words, "--out", self.folder)
        items = [name for name in Page(read(self.folder, "index.html")).ids if name in (SMALL, "000-fig1")]
        self.assertEqual(items, ["000-fig1", SMALL])

    def test_pictures_are_drawn_or_the_page_says_what_is_missing(self):
        bare = {"PATH": self.folder, "HOME": self.folder}
        result = run(SMALL, "--quick", "--pictures", "on", "--out", self.folder, env=bare)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("was not drawn: ", read(self.folder, "index.html"))
        if CHROMIUM and b"built without the viewer" not in subprocess.run([PROGRAM, "render", "x", "--png", "y"],
                                                                          capture_output=True).stderr:
            run(SMALL, "--quick", "--pictures", "on", "--out", self.folder)
            self.assertIn('<img alt="', read(self.folder, "index.html"))

    def test_a_damaged_result_is_computed_anew(self):
        run(SMALL, "--quick", "--out", self.folder)
        path = os.path.join(self.folder, "items", SMALL + ".json")
        with open(path, "r+", encoding="utf-8") as file:
            file.truncate(os.path.getsize(path) // 2)
        for kept in (False, True):
            answer = json.loads(run(SMALL, "--quick", "--json", "--out", self.folder).stdout)
            self.assertEqual(answer["items"][0]["kept"], kept)

    def test_a_disk_that_takes_no_more_is_a_fault_of_the_machine(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        result = run(SMALL, "--quick", "--out", self.folder, preexec_fn=limit)
        self.assertEqual(result.returncode, 3, result.stdout)
        self.assertIn("cannot be written", result.stderr)

    def test_a_place_that_is_a_file_is_refused(self):
        path = os.path.join(self.folder, "taken")
        with open(path, "w", encoding="utf-8"):
            pass
        self.assertEqual(run(SMALL, "--quick", "--out", path).returncode, 3)

    def test_a_time_limit_is_a_row_of_the_table(self):
        result = run("000-table1", "--quick", "--time-limit", "0.001", "--out", self.folder)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("not run because: the item took", " ".join(result.stdout.split()))
        self.assertIn("took longer than 0.001 s", read(self.folder, "index.html"))

    def test_charts_stand_beside_the_markdown(self):
        os.mkdir(os.path.join(self.folder, "charts"))
        page = os.path.join(self.folder, "page.md")
        result = run("granular-hertz", "--quick", "--out", self.folder, "--markdown", page, "--charts", "charts")
        self.assertEqual(result.returncode, 0, result.stderr)
        text = read(page)
        self.assertTrue(text.startswith("# Laws of granular matter"), text[:80])
        links = re.findall(r"^!\[[^]]+\]\((charts/granular-hertz-\d\.svg)\)$", text, re.M)
        self.assertEqual(len(links), 3)
        for link in links:
            self.assertTrue(xml.parse(os.path.join(self.folder, link)).getroot().tag.endswith("svg"))
        for what, _, ours, verdict in findings(text):
            self.assertTrue(verdict.startswith("reproduced"), f"{what}: {ours}, {verdict}")


class Terminal(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def start(self, *words):
        """In a terminal; the process and the terminal's end."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen([PROGRAM, "reproduce", *words, "--out", self.folder], stdout=subprocess.DEVNULL,
                                   stderr=theirs, start_new_session=True)
        os.close(theirs)
        return process, ours

    def drain(self, terminal):
        text = b""
        while True:
            try:
                part = os.read(terminal, 4096)
            except OSError:
                part = b""
            if not part:
                os.close(terminal)
                return text.decode()
            text += part

    def test_progress_is_shown_and_ctrl_c_ends_with_what_there_is(self):
        process, terminal = self.start("all", "--quick", "--jobs", "1")
        time.sleep(1.5)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        text = self.drain(terminal)
        self.assertEqual(process.wait(timeout=60), 130)
        self.assertRegex(text, r"\d+ of \d+ done \| 000-")
        self.assertEqual(Page(read(self.folder, "index.html")).faults, [])


if __name__ == "__main__":
    unittest.main()
