"""Images: a picture small enough to show, whatever the file holds; a bomb is refused with its size."""

import base64
import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from services.tables import Reading, TableError
from services.tables.window import read_preview


def shown(path):
    return read_preview(path, 50, 0, None, wanted=None, reading=Reading())


def pixels(picture):
    return Image.open(io.BytesIO(base64.b64decode(picture.png)))


@pytest.mark.parametrize("suffix", ["png", "jpg", "gif", "webp", "bmp", "tiff"])
def test_every_format_is_shown(tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    Image.new("RGB", (3200, 20), "red").save(path)
    read = shown(path)
    name = {"jpg": "JPEG"}.get(suffix, suffix.upper())
    assert (read.kind, read.columns, read.notes) == ("image", (), (f"{name}, 3,200 × 20 pixels.",))
    assert (read.picture.format, read.picture.width, read.picture.height) == (name, 3200, 20)
    small = pixels(read.picture)
    assert (small.format, small.size) == ("PNG", (1600, 10))
    assert small.convert("RGB").getpixel((800, 5))[0] > 250


def test_deep_greys_are_stretched_and_transparency_kept(tmp_path):
    Image.fromarray(np.array([[1000, 3000], [2000, 1000]], dtype=np.uint16)).save(tmp_path / "deep.png")
    assert list(pixels(shown(tmp_path / "deep.png").picture).get_flattened_data()) == [0, 255, 127, 0]
    Image.new("RGBA", (2, 2), (10, 20, 30, 40)).save(tmp_path / "clear.png")
    assert pixels(shown(tmp_path / "clear.png").picture).getpixel((0, 0)) == (10, 20, 30, 40)
    frames = [Image.new("RGB", (4, 4), colour) for colour in ("red", "blue")]
    frames[0].save(tmp_path / "a.gif", save_all=True, append_images=frames[1:])
    assert shown(tmp_path / "a.gif").notes[-1] == "It holds several frames or pages; the first is shown."


def test_noise_is_made_smaller_until_it_can_be_sent(tmp_path):
    noise = np.random.default_rng(1).integers(0, 256, (1600, 1600, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "a.bmp")
    assert len(base64.b64decode(shown(tmp_path / "a.bmp").picture.png)) <= 3 * 1024 * 1024


def png_bomb():
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(bytes(10**6)))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (png_bomb(), "The image claims 60,000 × 60,000 pixels, more than the 100,000,000 a preview unpacks."),
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "The image is broken: its header makes no sense."),
        (b"GIF89a", "The image is broken"),
        (b"\xff\xd8\xff\xe0" + bytes(100), "The image is broken"),
    ],
)
def test_bombs_and_broken_images_are_sentences(tmp_path, content, sentence):
    (tmp_path / "a.png").write_bytes(content)
    with pytest.raises(TableError, match=sentence):
        shown(tmp_path / "a.png")


def test_a_drawing_in_svg_is_text(tmp_path):
    (tmp_path / "a.svg").write_text("<svg onload='alert(1)'>\n</svg>\n")
    assert (shown(tmp_path / "a.svg").kind, shown(tmp_path / "a.svg").rows[0]) == ("text", ("<svg onload='alert(1)'>",))
