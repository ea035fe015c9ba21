"""Images, unpacked with a bound and made small enough to show."""

from __future__ import annotations

import base64
import io
from pathlib import Path

from PIL import Image, ImageOps, UnidentifiedImageError

from services.tables.model import Picture, Table, TableError

FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")
MOST_PIXELS = 100_000_000
LONGEST_SIDE = 1600
PNG_BYTES = 3 * 1024 * 1024  # a larger picture is made smaller


def open_image(path: Path) -> Table:
    """The image as a picture of at most 1,600 pixels a side; of several frames or pages the first.

    Raises:
        TableError: the image is broken, or claims more than 100 million pixels.
    """
    Image.MAX_IMAGE_PIXELS = None  # the bound is ours, and said
    try:
        with Image.open(path, formats=FORMATS) as image:
            width, height = image.size
            if width * height > MOST_PIXELS:
                raise TableError(
                    f"The image claims {width:,} × {height:,} pixels, more than the {MOST_PIXELS:,} a preview unpacks."
                )
            name = image.format or ""
            several = bool(getattr(image, "is_animated", False))
            image.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))
            png = _png(_plain(ImageOps.exif_transpose(image)))
    except UnidentifiedImageError:
        raise TableError("The image is broken: its header makes no sense.") from None
    except MemoryError:
        raise
    except (OSError, SyntaxError, ValueError, EOFError, OverflowError, IndexError, TypeError, KeyError) as error:
        raise TableError(f"The image is broken ({str(error).rstrip('.') or type(error).__name__}).") from None
    notes = [f"{name}, {width:,} × {height:,} pixels."]
    if several:
        notes.append("It holds several frames or pages; the first is shown.")
    picture = Picture(base64.b64encode(png).decode(), name, width, height)
    return Table("image", [], iter(()), total_rows=0, exact=True, notes=notes, picture=picture)


def _plain(image: Image.Image) -> Image.Image:
    """The image small, in a mode PNG shows everywhere; deep greys are stretched from the darkest to the lightest."""
    if image.mode.startswith(("I", "F")):
        low, high = image.convert("F").getextrema()
        assert isinstance(low, float) and isinstance(high, float)
        scale = 255 / (high - low) if high > low else 0.0
        image = image.convert("F").point(lambda value: value * scale - low * scale).convert("L")
    elif image.mode not in {"L", "RGB", "RGBA"}:
        image = image.convert("RGBA" if "transparency" in image.info or image.mode in {"LA", "PA", "La"} else "RGB")
    image.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    return image


def _png(image: Image.Image) -> bytes:
    while True:
        packed = io.BytesIO()
        image.save(packed, "PNG")
        if packed.tell() <= PNG_BYTES:
            return packed.getvalue()
        image = image.resize((max(1, image.width * 2 // 3), max(1, image.height * 2 // 3)))
