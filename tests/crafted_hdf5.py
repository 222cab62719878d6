"""Files that nobody's run wrote: each part of a good one in turn replaced by what does not belong there.

`datasets` and `attributes` change an HDF5 file with h5py; `flips` change single bits of its structure, with HDF5's
checksums put right where there are any; `checkpoints` change a checkpoint and put its sum right. Each yields
(name, make, expected): make(path) writes the file, expected is the exit status of a program that reads the part: 0, 2, or
None where either will do.
"""
import random
import shutil
import struct

import h5py
import numpy as np

FINE, REFUSED, EITHER = 0, 2, None
TEXTS = h5py.string_dtype()


# --- parts of another kind -------------------------------------------------------------------------------------------

ODD = ("vlen", "text", "fixed text", "compound", "array type", "enum", "opaque", "reference", "complex")


def oddity(file, what, shape):
    """(data, dtype) of that shape which are no numbers of ours; data None: never written."""
    return {"vlen": lambda: (None, h5py.vlen_dtype(np.float64)),
            "text": lambda: (np.full(shape, "text", dtype=object), TEXTS),
            "fixed text": lambda: (np.full(shape, b"abcd", dtype="S4"), None),
            "compound": lambda: (np.zeros(shape, dtype=[("a", "f8"), ("b", "i4")]), None),
            "array type": lambda: (None, np.dtype(("f8", (3,)))),
            "enum": lambda: (np.zeros(shape, dtype="i4"), h5py.enum_dtype({"no": 0, "yes": 1}, basetype="i4")),
            "opaque": lambda: (np.zeros(shape, dtype="V8"), None),
            "reference": lambda: (np.full(shape, file.ref, dtype=h5py.ref_dtype), h5py.ref_dtype),
            "complex": lambda: (np.zeros(shape, dtype="c16"), None)}[what]()


def put(place, name, data, dtype, shape):
    if data is None:
        place.create_dataset(name, shape=shape, dtype=dtype)
    else:
        place.create_dataset(name, data=data, dtype=dtype)


def change(base, act):
    def make(path):
        shutil.copyfile(base, path)
        with h5py.File(path, "r+", libver="latest") as file:
            act(file)
    return make


def dataset_cases(name, data, optional):
    """(what, act, expected) for one dataset of numbers."""
    shape, kind = data.shape, data.dtype.kind
    long_ago = min(shape[0], 1) if shape else 0

    def replace(**how):
        def act(file):
            del file[name]
            file.create_dataset(name, **how)
        return act

    def odd(what):
        def act(file):
            values, dtype = oddity(file, what, shape)
            del file[name]
            put(file, name, values, dtype, shape)
        return act

    def missing(file):
        del file[name]

    def group(file):
        del file[name]
        file.create_group(name)

    def moved(link):
        def act(file):
            file.move(name, "elsewhere")
            file[name] = link
        return act

    def outside(file):
        del file[name]
        with open(file.filename + ".raw", "wb") as raw:
            raw.write(data.tobytes())
        file.create_dataset(name, shape=shape, dtype=data.dtype, external=[(file.filename + ".raw", 0, data.nbytes)])

    def virtual(file):
        del file[name]
        layout = h5py.VirtualLayout(shape=shape, dtype=data.dtype)
        layout[...] = h5py.VirtualSource(".", "body/position", shape=shape, dtype=data.dtype)
        file.create_virtual_dataset(name, layout)

    other = data.astype("i8") if kind == "f" else data.astype("f8")
    most = (None,) + shape[1:]
    cases = [("missing", missing, FINE if optional else REFUSED),
             ("a group", group, REFUSED),
             ("a soft link", moved(h5py.SoftLink("/elsewhere")), REFUSED),
             ("an external link", moved(h5py.ExternalLink("/etc/passwd", "/")), REFUSED),
             ("integers for reals and reals for integers", replace(data=other), REFUSED),
             ("external storage", outside, REFUSED),
             ("virtual", virtual, REFUSED),
             ("scalar", replace(data=data.flat[0] if data.size else data.dtype.type(0)), REFUSED),
             ("one extent more", replace(data=data[..., None]), REFUSED),
             ("rank 32", replace(shape=(1,) * 32, dtype=data.dtype), REFUSED),
             ("null space", replace(data=h5py.Empty(data.dtype)), REFUSED),
             ("no rows", replace(data=data[:0]), EITHER),
             ("one row", replace(data=data[:long_ago]), EITHER),
             ("2^31 rows, none stored", replace(shape=(2 ** 31,) + shape[1:], maxshape=most, chunks=True,
                                                dtype=data.dtype), REFUSED),
             ("2^40 rows, none stored", replace(shape=(2 ** 40,) + shape[1:], maxshape=most, chunks=True,
                                                dtype=data.dtype), REFUSED),
             ("compressed", replace(data=data, compression="gzip", shuffle=True, chunks=True), FINE),
             ("contiguous", replace(data=data), FINE),
             ("chunks of one row", replace(data=data, chunks=(1,) + shape[1:]), FINE),
             ("the other byte order", replace(data=data.astype(data.dtype.newbyteorder())), FINE),
             ("not a number", replace(data=np.full(shape, np.nan if kind == "f" else -1, dtype=data.dtype)), EITHER),
             ("largest values", replace(data=np.full(shape, (np.finfo if kind == "f" else np.iinfo)(data.dtype).max)),
              EITHER)]
    if len(shape) > 1:
        cases.append(("a wider row", replace(data=np.concatenate([data, data], axis=-1)), REFUSED))
        cases.append(("an extent less", replace(data=data.reshape(shape[0], -1)[:, 0]), REFUSED))
    return cases + [(what, odd(what), REFUSED) for what in ODD]


def attribute_cases(name, value, optional):
    text = isinstance(value, str)

    def replace(data, dtype=None):
        def act(file):
            del file.attrs[name]
            file.attrs.create(name, data, dtype=dtype)
        return act

    def missing(file):
        del file.attrs[name]

    def unwritten(dtype):
        def act(file):
            del file.attrs[name]
            kind, space = h5py.h5t.py_create(dtype, logical=True), h5py.h5s.create(h5py.h5s.SCALAR)
            h5py.h5a.create(file.id, name.encode(), kind, space)
        return act

    def reference(file):
        replace(file.ref, h5py.ref_dtype)(file)

    def opaque(file):
        replace(np.void(b"12345678"))(file)

    filler = "x" if text else value
    cases = [("missing", missing, FINE if optional else REFUSED),
             ("three of them", replace([filler] * 3, TEXTS if text else None), REFUSED),
             ("a row of one", replace([filler], TEXTS if text else None), REFUSED),
             ("4096 of them", replace([filler] * 4096, TEXTS if text else None), REFUSED),
             ("a square", replace([[filler] * 2] * 2, TEXTS if text else None), REFUSED),
             ("none", replace(np.zeros(0)), REFUSED),
             ("null space", replace(h5py.Empty("f8")), REFUSED),
             ("vlen", unwritten(h5py.vlen_dtype(np.float64)), REFUSED),
             ("compound", replace(np.zeros((), dtype=[("a", "f8"), ("b", "i4")])), REFUSED),
             ("array type", unwritten(np.dtype(("f8", (3,)))), REFUSED),
             ("enum", replace(1, h5py.enum_dtype({"no": 0, "yes": 1}, basetype="i4")), REFUSED),
             ("reference", reference, REFUSED),
             ("opaque", opaque, REFUSED),
             ("complex", replace(1j), REFUSED)]
    if text:
        return cases + [("an integer", replace(7), REFUSED), ("a real", replace(7.0), REFUSED),
                        ("fixed text", replace(np.bytes_(value)), FINE),
                        ("empty", replace("", TEXTS), FINE if name == "method" else EITHER)]
    integer = np.asarray(value).dtype.kind == "i"
    return cases + [("text", replace("7", TEXTS), REFUSED), ("fixed text", replace(np.bytes_("7")), REFUSED),
                    ("the other class", replace(float(value) if integer else int(value)), REFUSED),
                    ("wide", replace(np.int64(2 ** 40) if integer else np.float32(value)), EITHER),
                    ("negative", replace(-value), REFUSED),
                    ("not a number", replace(np.int8(-1) if integer else np.nan), REFUSED)]


# What recordings of earlier builds do not have.
LATER = ("step/momentum", "step/angular_momentum", "step/overlap", "step/gain", "step/uncovered", "step/bounds",
         "contact/moment", "contact/spin")


def trajectories(base):
    """Every attribute and dataset of a recording in turn."""
    with h5py.File(base, "r") as file:
        attributes = dict(file.attrs)
        numbers = {}
        file.visititems(lambda name, item: numbers.update({name: item[...]})
                        if isinstance(item, h5py.Dataset) and item.dtype.kind in "fi" else None)
    for name, value in attributes.items():
        for what, act, expected in attribute_cases(name, value, name in ("method", "tolerance")):
            yield f"attribute {name}: {what}", change(base, act), expected
    for name, data in numbers.items():
        for what, act, expected in dataset_cases(name, data, name in LATER):
            yield f"{name}: {what}", change(base, act), expected
    yield from names(base)


def names(base):
    """body/name, the one dataset of texts."""
    def replace(**how):
        def act(file):
            del file["body/name"]
            file.create_dataset("body/name", **how)
        return act

    with h5py.File(base, "r") as file:
        texts = [text.decode() for text in file["body/name"][:]]
    for what, how, expected in [("numbers", {"data": np.arange(len(texts))}, REFUSED),
                                ("scalar", {"data": texts[0], "dtype": TEXTS}, REFUSED),
                                ("square", {"data": [texts, texts], "dtype": TEXTS}, REFUSED),
                                ("none", {"data": np.zeros(0, dtype=object), "dtype": TEXTS}, REFUSED),
                                ("others", {"data": ["x"] * len(texts), "dtype": TEXTS}, REFUSED),
                                ("unwritten", {"shape": (len(texts),), "dtype": TEXTS}, REFUSED),
                                ("2^31", {"shape": (2 ** 31,), "dtype": TEXTS, "chunks": True}, REFUSED),
                                ("fixed", {"data": np.array(texts, dtype="S")}, FINE),
                                ("vlen", {"shape": (len(texts),), "dtype": h5py.vlen_dtype(np.int8)}, REFUSED)]:
        yield f"body/name: {what}", change(base, replace(**how)), expected


def problems(base):
    """Every dataset of a problem file in turn; numbers of any class and width do there, and matrices are redundant."""
    with h5py.File(base, "r") as file:
        numbers = {}
        file.visititems(lambda name, item: numbers.update({name: item[...]})
                        if isinstance(item, h5py.Dataset) and item.dtype.kind in "fi" else None)
    unread = ("nzmax", "solution/", "info")
    for name, data in numbers.items():
        if any(word in name for word in unread):
            continue
        for what, act, expected in dataset_cases(name, data, False):
            loose = what in ("integers for reals and reals for integers", "scalar", "missing")
            yield f"{name}: {what}", change(base, act), EITHER if loose else expected


# --- bits ------------------------------------------------------------------------------------------------------------

def turn(x, k):
    return (x << k | x >> (32 - k)) & 0xffffffff


def lookup3(text):
    """HDF5's checksum of metadata."""
    a = b = c = (0xdeadbeef + len(text)) & 0xffffffff
    at = 0
    while True:
        block = text[at:at + 12].ljust(12, b"\0")
        x, y, z = struct.unpack("<3I", block)
        a, b, c = (a + x) & 0xffffffff, (b + y) & 0xffffffff, (c + z) & 0xffffffff
        if len(text) - at <= 12:
            break
        for k in (4, 6, 8, 16, 19, 4):
            a = (a - c) & 0xffffffff ^ turn(c, k)
            c = (c + b) & 0xffffffff
            a, b, c = b, c, a
        at += 12
    if not text:
        return c
    for k in (14, 11, 25, 16, 4, 14, 24):
        c = ((c ^ b) - turn(b, k)) & 0xffffffff
        a, b, c = b, c, a
    return b  # what was called c in the last of the turns


SIGNATURES = (b"GCOL", b"OHDR", b"OCHK", b"EAHD", b"EAIB", b"EADB", b"EASB", b"BTHD", b"BTLF", b"FRHP", b"FADB", b"FAHD",
              b"TREE", b"SNOD", b"HEAP", b"FHDB", b"FHIB", b"FSHD", b"SMTB", b"\x89HDF")


def places(content):
    """(offset, how far its checksum reaches, or 0 where there is none) of every part of the structure."""
    for signature in SIGNATURES:
        at = content.find(signature)
        while at >= 0:
            reach = 0
            for size in range(8, 600):
                if at + size + 4 <= len(content) and \
                        lookup3(content[at:at + size]) == struct.unpack_from("<I", content, at + size)[0]:
                    reach = size
                    break
            yield at, reach
            at = content.find(signature, at + 4)


def flips(base, count):
    """Single bits of the structure, the same ones every time."""
    with open(base, "rb") as file:
        content = file.read()
    draw = random.Random(17)
    found = list(places(content))
    for k in range(count):
        at, reach = found[k % len(found)]
        byte = at + 4 + draw.randrange(max(1, (reach or 60) - 4))
        bit = draw.randrange(8)
        mended = reach and draw.random() < 0.8

        def make(path, at=at, reach=reach, byte=byte, bit=bit, mended=mended):
            changed = bytearray(content)
            if byte < len(changed):
                changed[byte] ^= 1 << bit
            if mended:
                struct.pack_into("<I", changed, at + reach, lookup3(bytes(changed[at:at + reach])))
            with open(path, "wb") as file:
                file.write(changed)

        yield f"bit {bit} of byte {byte}, in {bytes(content[at:at + 4])}{', sum mended' if mended else ''}", make, EITHER


# --- checkpoints -----------------------------------------------------------------------------------------------------

HEAD = "<16s6Q"  # magic; sizes of scene, choices, records, state; sum of the shapes, sum of all that follows


def checkpoint_sum(body):
    total = 0xcbf29ce484222325
    for byte in body:
        total = (total ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return total


def checkpoints(base, count):
    """Numbers of records and state replaced, with the sum right again, and sizes that do not add up."""
    with open(base, "rb") as file:
        content = file.read()
    head, body = list(struct.unpack_from(HEAD, content)), content[struct.calcsize(HEAD):]
    values = [struct.pack("<d", x) for x in (float("nan"), float("inf"), -1.0, 1e300)] + \
             [struct.pack("<q", x) for x in (-1, 2 ** 31 - 1, 2 ** 31, 2 ** 62, 0x0202020202020202)] + [b"\xff" * 8]

    def write(head, body, summed=True):
        def make(path):
            fields = list(head)
            if summed:
                fields[6] = checkpoint_sum(body)
            with open(path, "wb") as file:
                file.write(struct.pack(HEAD, *fields) + body)
        return make

    for k in range(1, 6):
        for value in (0, head[k] + 1, 2 ** 31, 2 ** 63, 2 ** 64 - 1):
            yield f"head[{k}] = {value}", write(head[:k] + [value % 2 ** 64] + head[k + 1:], body), EITHER
    yield "cut short", write(head, body[:-8]), REFUSED
    yield "too long", write(head, body + bytes(8)), REFUSED
    yield "empty body", write(head, b""), REFUSED
    yield "wrong sum", write(head, body[:-1] + bytes([body[-1] ^ 1]), False), REFUSED
    first = head[1] + head[2]  # scene and choices are texts
    draw = random.Random(4)
    for k in range(count):
        at = first + 8 * (k if 8 * k + 8 < len(body) - first else draw.randrange((len(body) - first) // 8))
        value = values[k % len(values)]
        yield f"word at {at} = {value.hex()}", write(head, body[:at] + value + body[at + 8:]), EITHER
