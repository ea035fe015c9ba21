"""Draws the page's icon (SVG and PNG) and the card that a shared link shows: `python assets/pictures.py`.

A ladder with the rung that matched. Fonts are Debian's DejaVu (fonts-dejavu-core), wanted for the card alone.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

WEB = Path(__file__).resolve().parent / "web"
INDIGO, PALE, GREEN, INK, GREY = "#4f46e5", "#e0e7ff", "#4fcb8d", "#f1f5f9", "#94a3b8"
NIGHT = "#0f172a"
RAILS = ((20, 10, 24, 54), (40, 10, 44, 54))  # left, top, right, bottom on a square of 64
RUNGS = (16, 25, 34, 43)  # top of each; 4 high
MATCHED = 2
LINES = (
    "SmolDataEnvs Workbench",
    "Verified data-analysis tasks:",
    "look at the table, solve in a live kernel,",
    "grade, and see which rung matched.",
)
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans{}.ttf"


def icon_svg() -> str:
    boxes = [f'<rect x="{x}" y="{y}" width="{a - x}" height="{b - y}" rx="2" fill="{PALE}"/>' for x, y, a, b in RAILS]
    for number, top in enumerate(RUNGS):
        boxes.append(
            f'<rect x="20" y="{top}" width="24" height="4" rx="1" fill="{GREEN if number == MATCHED else PALE}"/>'
        )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">'
        f'<rect width="64" height="64" rx="14" fill="{INDIGO}"/>{"".join(boxes)}</svg>\n'
    )


def icon(size: int) -> Image.Image:
    """The icon as pixels, `size` a side; drawn four times as large, so that its edges are smooth."""
    scale = 4 * size / 64
    large = Image.new("RGBA", (4 * size, 4 * size))
    draw = ImageDraw.Draw(large)

    def box(x: float, y: float, a: float, b: float, radius: float, fill: str) -> None:
        draw.rounded_rectangle((x * scale, y * scale, a * scale - 1, b * scale - 1), radius * scale, fill)

    box(0, 0, 64, 64, 14, INDIGO)
    for rail in RAILS:
        box(*rail, 2, PALE)
    for number, top in enumerate(RUNGS):
        box(20, top, 44, top + 4, 1, GREEN if number == MATCHED else PALE)
    return large.resize((size, size), Image.Resampling.LANCZOS)


def card() -> Image.Image:
    """1200 × 630 pixels, what the networks ask for."""
    picture = Image.new("RGB", (1200, 630), NIGHT)
    ladder = icon(300)
    picture.paste(ladder, (80, 165), ladder)
    draw = ImageDraw.Draw(picture)
    title, rest = (
        ImageFont.truetype(FONT.format("-Bold"), 46),
        ImageFont.truetype(FONT.format(""), 32),
    )
    draw.text((430, 200), LINES[0], INK, title)
    for number, line in enumerate(LINES[1:]):
        draw.text((430, 292 + 48 * number), line, GREY, rest)
    return picture


if __name__ == "__main__":
    (WEB / "icon.svg").write_text(icon_svg())
    icon(512).quantize(64).save(WEB / "icon.png", optimize=True)
    card().quantize(64).save(WEB / "card.png", optimize=True)
