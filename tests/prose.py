#!/usr/bin/env python3
"""Our English, checked by machine: length of sentences, spelling, phrases that we do not use. docs/style.md has the rules.

Reads the pages of docs/, the README files, the comments of the public headers and the messages of the program, and prints
file:line, the fault and the sentence. `python3 tests/prose.py FILE...` checks those files only, `--list FILE` prints the
sentences that are checked, and `--sample 60 --seed N` draws sentences to be read aloud: a third each from pages, headers and
messages."""
import os
import random
import re
import sys

SOURCE = os.environ.get("CH_SOURCE", os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LONGEST = 40  # words
# Written by the program (docs/validation.md, granular_physics.md), or tables of figures.
MADE = {"docs/validation.md", "docs/granular_physics.md", "bench/RESULTS.md", "CHANGELOG.md"}
RULES = {"docs/style.md"}  # has the wrong forms in it, as examples
REPORTS = "apps/reproduce/"  # texts of a report, which quote what documents print
# Keys, names and options that messages cite as they are typed.
KEYS = re.compile(r"(stabilization|linearized|regularized-lcp|force-color-profile)\b")

# American form -> British form; also what follows from them (-s, -d, -r, -rs).
BRITISH = {
    "color": "colour", "behavior": "behaviour", "neighbor": "neighbour", "favor": "favour", "honor": "honour",
    "meter": "metre", "meters": "metres", "center": "centre", "centered": "centred", "centering": "centring", "fiber": "fibre",
    "analyzed": "analysed", "analyzing": "analysing", "catalog": "catalogue",
    "modeled": "modelled", "modeling": "modelling", "labeled": "labelled", "labeling": "labelling",
    "traveled": "travelled", "traveling": "travelling", "canceled": "cancelled", "canceling": "cancelling",
    "gray": "grey", "mold": "mould", "artifact": "artefact", "judgment": "judgement", "aluminum": "aluminium",
    "initialize": "initialise", "normalize": "normalise", "minimize": "minimise", "maximize": "maximise", "optimize": "optimise",
    "linearize": "linearise", "regularize": "regularise", "stabilize": "stabilise", "discretize": "discretise",
    "generalize": "generalise", "symmetrize": "symmetrise", "factorize": "factorise", "parametrize": "parametrise",
    "parameterize": "parametrise", "summarize": "summarise", "visualize": "visualise", "penalize": "penalise",
    "synchronize": "synchronise", "serialize": "serialise", "polarize": "polarise", "organize": "organise", "realize": "realise",
    "recognize": "recognise", "emphasize": "emphasise", "equalize": "equalise", "equilibrize": "equilibrate",
    "mobilize": "mobilise", "localize": "localise", "randomize": "randomise", "vectorize": "vectorise",
    "parallelize": "parallelise", "neutralize": "neutralise", "utilize": "use", "customize": "customise",
    "program me": "programme", "licence d": "licensed", "plow": "plough", "skeptic": "sceptic", "sulfur": "sulphur",
}
# Phrase -> what to write. Matched without regard to case; a * is any few letters.
PHRASES = {
    "at which only those": "say which in a sentence of its own",
    "so far that": "until, or: so much that",
    "for who ": "for whoever",
    "gone on with": "continued",
    "what it got": "its answer",
    "in dependence of": "depending on",
    "dependent of": "dependent on",
    "independent from": "independent of",
    "under the assumption that": "if",
    "in order to": "to",
    "it should be noted": "say it",
    "it is to be noted": "say it",
    "as already mentioned": "leave out",
    "with the help of": "with",
    "is able to": "can",
    "are able to": "can",
    "due to the fact": "because",
    "a multitude of": "many",
    "so-called": "leave out",
    "respectively to": "and",
    "resp.": "and",
    "by means of": "with, by",
    "is to be said": "must be said",
    "belongs into": "belongs in",
    "informations": "information",
    "softwares": "software",
    "equipments": "equipment",
    "allows to": "allows you to, or: lets",
    "permits to": "lets",
    "enables to": "lets",
    "what concerns": "as for",
    "as it seems": "apparently",
    "other than in": "unlike in",
    "until then where": "until",
    "e.g.": "for example",
    "i.e.": "that is",
    "etc.": "name them, or: and so on",
    "via": "by, through",
    "leverage": "use",
    "seamless": "leave out",
    "blazing": "give the number",
    "simply": "leave out",
    "obviously": "leave out",
    "of course": "leave out",
    "whilst": "while",
    "amongst": "among",
    "thereof": "of it",
    "therein": "in it",
    "hereby": "leave out",
    "wherefore": "so",
    "nowadays": "today",
}


def word_pattern(phrase):
    left = r"\b" if phrase[0].isalnum() else ""
    right = r"\b" if phrase[-1].isalnum() else ""
    return re.compile(left + re.escape(phrase) + right, re.I)


def british_pattern():
    roots = "|".join(sorted((form for form in BRITISH if " " not in form), key=len, reverse=True))
    return re.compile(rf"\b({roots})(s|d|r|rs|ed|ing|ly|hood|ing|less|able|ation|ations)?\b", re.I)


BANNED = [(word_pattern(phrase), phrase, better) for phrase, better in PHRASES.items()]
AMERICAN = british_pattern()
AMERICAN_IZE = re.compile(r"\b[a-z]{3,}(iz)(ing|ation|ations)\b", re.I)
NOT_AMERICAN = re.compile(r"^(siz|seiz|priz|horiz|citiz|maiz|baiz|resiz|capsiz)", re.I)


def plain(text):
    """A piece of Markdown as it is read aloud: code, numbers and formulas count as one word."""
    text = re.sub(r"<!--.*?-->", " ", text, flags=re.S)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", " ", text)
    text = re.sub(r"\[([^\]]*)\]\([^)\s]*\)", r"\1", text)
    text = re.sub(r"``.+?``|`[^`]+`", " CODE ", text, flags=re.S)
    text = re.sub(r"<[^>\n]+>", " ", text)
    text = re.sub(r"\*\*|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)", "*", text)
    return " ".join(text.split())


ABBREVIATION = re.compile(r"(?:\b(?:vs|cf|al|no|Fig|fig|eq|Eq|Sec|St|Dr|ch|p)\.)$")


def sentences(text):
    """Ends at . ! ? before a capital, a digit or a quotation mark, and at a colon before a list."""
    start = 0
    for stop in re.finditer(r"[.!?]['\")\]]*(?=\s+(?:[a-z_]+[./]\w|[A-Z0-9\"'(`_*])|\s*$)", text):
        sentence = text[start:stop.end()].strip()
        if ABBREVIATION.search(sentence):
            continue
        start = stop.end()
        if sentence:
            yield sentence
    if text[start:].strip():
        yield text[start:].strip()


def blocks(text):
    """(line, text) of every paragraph, list item, table cell and heading of a page, without code."""
    lines, found, open_at, item, fence = text.split("\n"), [], None, False, None

    def close(end):
        if open_at is not None:
            found.append((open_at + 1, "\n".join(lines[open_at:end])))

    for index, line in enumerate(lines):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark or fence:
            if fence is None:
                close(index)
                open_at, fence = None, mark.group(1)
            elif mark and mark.group(1) == fence:
                fence = None
            continue
        if not line.strip():
            close(index)
            open_at = None
            continue
        indent = len(line) - len(line.lstrip())
        if open_at is None and indent >= 4 and not (item and not re.match(r"\s*(build/|python3|make|\$|#|[{\[])", line) and indent < 4):
            continue  # code
        if line.lstrip().startswith(("|", "#")):
            close(index)
            open_at = None
            if line.startswith("#"):
                found.append((index + 1, line.lstrip("# ")))
            elif not re.fullmatch(r"[|:\- ]+", line.strip()):
                found += [(index + 1, cell) for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
            continue
        if re.match(r"\s*([*-]|\d+\.) ", line):
            close(index)
            open_at, item = index, True
        elif open_at is None:
            open_at, item = index, indent > 0 and item
    close(len(lines))
    return [(line, re.sub(r"^\s*([*-]|\d+\.) ", "", piece)) for line, piece in found]


def comments(text):
    """(line, text) of every comment of C code: neighbouring lines of // are one, equations (indented) are left out."""
    found, last, trailing = [], -2, False
    for index, line in enumerate(text.split("\n")):
        match = re.match(r"(.*?)//[/!<]*( ?)(.*)", line)
        if not match or match.group(1).count('"') % 2 or match.group(1).rstrip().endswith(":"):
            continue
        alone = not match.group(1).strip()
        words = match.group(3)
        if words.startswith("  "):  # an equation or an example
            last = -2
            continue
        if alone and last == index - 1 and words.strip() and (len(match.group(1)) > 7 or not trailing):
            found[-1] = (found[-1][0], found[-1][1] + "\n" + words)
        else:
            found.append((index + 1, words))
            trailing = not alone
        last = index if words.strip() else -2
    text = re.sub(r"//.*", "", text)
    for match in re.finditer(r"/\*(.*?)\*/", text, re.S):
        line = text.count("\n", 0, match.start()) + 1
        for piece in re.split(r"\n[\s*]*\n", match.group(1)):
            words = re.sub(r"(?m)^\s*\*+ ?", "", piece)
            kept = [row for row in words.split("\n") if not row.startswith("  ")]
            found.append((line, "\n".join(kept)))
    return found


CALL = re.compile(r"\b(?:ch_fail|ch_warn|fail|refuse|complain|say|usage|error|warn|ch_error|fprintf|printf|ch_text_add|text_add)\w*\(")


def messages(text):
    """(line, text) of every string of C code that has several words in it: neighbouring literals are one."""
    found = []
    for match in re.finditer(r'"(?:[^"\\\n]|\\.)*"(?:\s*(?:PRI\w+\s*)?"(?:[^"\\\n]|\\.)*")*', text):
        start = text.rfind("\n", 0, match.start()) + 1
        if text[start:match.start()].lstrip().startswith(("#include", "//", "*")):
            continue
        words = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', match.group(0)))
        words = re.sub(r"%[-+ #0-9.*]*(?:hh|h|ll|l|z|j|t)?[a-zA-Z]", "N", words)
        if re.search(r"<\w+|\{\\\"|;\s*}|[{}]", words) or len(re.findall(r"\b[a-z]{2,}\b", words)) < 3:
            continue
        line = text.count("\n", 0, match.start()) + 1
        for piece in re.split(r"\\n|\\t|  +", words):
            found.append((line, piece.replace('\\"', '"')))
    return found


def pieces(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        text = file.read()
    text = KEYS.sub("KEY", text)
    if path.endswith(".md"):
        return blocks(text)
    return comments(text) if path.endswith(".h") and path.startswith("include/") else messages(text)


def faults(path):
    """(line, fault, sentence) of a file."""
    for line, piece in pieces(path):
        for sentence in sentences(plain(piece)):
            words = [word for word in sentence.split() if re.search(r"[A-Za-z]", word)]
            if len(words) > LONGEST:
                yield line, f"{len(words)} words", sentence
            for pattern, phrase, better in BANNED:
                if pattern.search(sentence):
                    yield line, f"'{phrase}': {better}", sentence
            for match in AMERICAN.finditer(sentence):
                yield line, f"'{match.group(0)}' is American: {BRITISH[match.group(1).lower()]}", sentence
            for match in AMERICAN_IZE.finditer(sentence):
                if not NOT_AMERICAN.match(match.group(0)):
                    yield line, f"'{match.group(0)}' is American: -is-", sentence


def files():
    found = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "bench/README.md", "web/README.md", "python/README.md"]
    for top, ending in (("docs", ".md"), ("include/cardhouse", ".h"), ("apps", ".c"), ("src", ".c"), ("data", ".md"), ("tests", ".md")):
        for folder, _, names in os.walk(os.path.join(SOURCE, top)):
            found += [os.path.relpath(os.path.join(folder, name), SOURCE) for name in names if name.endswith(ending)]
    return sorted(path for path in found if path not in MADE | RULES and not path.startswith(REPORTS) and os.path.exists(os.path.join(SOURCE, path)))


def listed(path):
    for line, piece in pieces(path):
        for sentence in sentences(plain(piece)):
            yield f"{path}:{line}: {sentence}"


def kind(path):
    return "pages" if path.endswith(".md") else "headers" if path.endswith(".h") else "messages"


def sample(count, seed):
    """Sentences of at least six words, drawn blindly: as many of every kind, each sentence of a kind as likely as any other."""
    drawn = random.Random(seed)
    found = {"pages": [], "headers": [], "messages": []}
    for path in files():
        if path.endswith("auto_stages.c"):
            continue  # reasons beside the rows of a table, which no message shows
        found[kind(path)] += [row for row in listed(path) if len(re.findall(r"\b[A-Za-z]{2,}", row.split(": ", 1)[1])) >= 6]
    for k, rows in enumerate(found.values()):
        yield from drawn.sample(rows, min(len(rows), (count + 2 - k) // 3))


def main(arguments):
    if arguments[:1] == ["--list"]:
        for path in arguments[1:]:
            print("\n".join(listed(path)))
        return 0
    if arguments[:1] == ["--sample"]:
        print("\n".join(sample(int(arguments[1]), int(arguments[3]))))
        return 0
    count = 0
    for path in arguments or files():
        for line, fault, sentence in faults(path):
            count += 1
            print(f"{path}:{line}: {fault}\n    {sentence}")
    if count:
        print(f"prose: {count} faults; docs/style.md has the rules")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
