"""Line plots as small SVG files, readable on a light and on a dark page."""
import math

COLOURS = ["#2f7ed8", "#e07b39", "#3fa34d", "#b5539c", "#c9a227", "#4fb3bf", "#8d6e63", "#d64545", "#7d7d7d", "#6a5acd",
           "#2e5d4b"]
STYLE = """<style>
text { font: 12px sans-serif; fill: #6e6e6e } .axis { stroke: #888; fill: none } .grid { stroke: #888; stroke-opacity: .25 }
.title { font-weight: bold } @media (prefers-color-scheme: dark) { text { fill: #ccc } }
</style>"""


def document(width, height, body):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}">\n{STYLE}\n{body}\n</svg>\n')


def text(x, y, words, anchor="start", kind="", turn=0):
    words = words.replace("&", "&amp;").replace("<", "&lt;")
    rotate = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}"{rotate}>{words}</text>'


def label(value, log):
    if log:
        power = round(math.log10(value))
        return {0: "1", 1: "10", 2: "100", 3: "1000"}.get(power, f"1e{power}")
    return f"{value:g}"


class Axis:
    """Maps data to pixels; ticks at powers of ten, or at round numbers."""

    def __init__(self, low, high, start, end, log):
        if log:
            low, high = 10.0 ** math.floor(math.log10(low) + 1e-9), 10.0 ** math.ceil(math.log10(high) - 1e-9)
            if low == high:
                high *= 10.0
        self.low, self.high, self.start, self.end, self.log = low, high, start, end, log

    def at(self, value):
        a, b, x = (math.log10(v) for v in (self.low, self.high, max(value, 1e-300))) if self.log else \
            (self.low, self.high, value)
        share = min(max((x - a) / (b - a), -0.02), 1.02)
        return self.start + share * (self.end - self.start)

    def ticks(self):
        if self.log:
            first, last = round(math.log10(self.low)), round(math.log10(self.high))
            step = max(1, math.ceil((last - first) / 7))
            return [10.0 ** k for k in range(first, last + 1, step)]
        step = 10.0 ** math.floor(math.log10(self.high / 5))
        step *= next(k for k in (1, 2, 5, 10) if self.high / (k * step) <= 6)
        return [k * step for k in range(int(self.high / step) + 1)]


def thin(points):
    """Long histories carry more points than the eye: of those in one column of pixels, the lowest and highest stay."""
    columns = {}
    for p in points:
        columns.setdefault(int(p[0]), []).append(p)
    kept = []
    for column in columns.values():
        ends = {min(column, key=lambda p: p[1]), max(column, key=lambda p: p[1])}
        kept += [p for p in column if p in ends] if len(column) > 2 else column
    return kept


def panel(left, top, width, height, curves, title, x_label, y_label, x_log=False, y_log=True, y_floor=None):
    """curves: [(name, [(x, y), ...])]; returns SVG text. The legend stands to the right of the axes."""
    all_x = [x for _, c in curves for x, _ in c if x > 0 or not x_log]
    all_y = [y for _, c in curves for _, y in c if y > 0 or not y_log]
    low_y = (max(min(all_y), y_floor) if y_floor else min(all_y)) if y_log else 0.0
    x = Axis(min(all_x) if x_log else 0.0, max(all_x), left, left + width, x_log)
    y = Axis(low_y, max(all_y), top + height, top, y_log)
    out = [text(left + width / 2, top - 8, title, "middle", "title"),
           text(left + width / 2, top + height + 34, x_label, "middle"),
           text(left - 44, top + height / 2, y_label, "middle", turn=-90)]
    for tick in x.ticks():
        out.append(f'<path class="grid" d="M{x.at(tick):.1f} {top}V{top + height}"/>')
        out.append(text(x.at(tick), top + height + 16, label(tick, x_log), "middle"))
    for tick in y.ticks():
        out.append(f'<path class="grid" d="M{left} {y.at(tick):.1f}H{left + width}"/>')
        out.append(text(left - 6, y.at(tick) + 4, label(tick, y_log), "end"))
    out.append(f'<path class="axis" d="M{left} {top}V{top + height}H{left + width}"/>')
    for k, (name, points) in enumerate(curves):
        colour = COLOURS[k % len(COLOURS)]
        pixels = [(x.at(a), y.at(b)) for a, b in points]
        path = "L".join(f"{a:.1f} {b:.1f}" for a, b in thin(pixels))
        out.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.8" stroke-linejoin="round"/>')
        if len(points) <= 40:
            out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.4" fill="{colour}"/>' for a, b in pixels]
        row = top + 8 + 17 * k
        out.append(f'<path d="M{left + width + 10} {row}h16" stroke="{colour}" stroke-width="2.5"/>')
        out.append(text(left + width + 31, row + 4, name))
    return "\n".join(out)
