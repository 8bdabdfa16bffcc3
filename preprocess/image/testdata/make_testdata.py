"""Makes zoo.zip: small pictures of many kinds with what OpenCV decodes them to, and sums of resized pictures.

Run with OpenCV 4.12 and Pillow 13 (pip install opencv-python-headless==4.12.0.88 pillow==13.0.0); the tests only read its
output. Sums are the first 16 hexadecimal digits of the SHA-256 of RGB pixels.
"""

import hashlib
import io
import json
import os
import struct
import tempfile
import zipfile
import zlib

import cv2
import numpy as np
from PIL import Image

rng = np.random.default_rng(20)
pictures = {}


def smooth(w, h):
    a = rng.integers(0, 256, (max(h // 4, 2), max(w // 4, 2), 3)).astype(np.uint8)
    a = cv2.resize(a, (w, h), interpolation=cv2.INTER_CUBIC)
    return np.clip(a + rng.normal(0, 8, a.shape), 0, 255).astype(np.uint8)


def extreme(w, h):
    return (rng.integers(0, 2, (h, w, 3)) * 255).astype(np.uint8)


def pillow(name, image, fmt, **options):
    out = io.BytesIO()
    image.save(out, fmt, **options)
    pictures[name] = out.getvalue()
    return out.getvalue()


def jpegs():
    factors = {
        "411": cv2.IMWRITE_JPEG_SAMPLING_FACTOR_411, "420": cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420,
        "422": cv2.IMWRITE_JPEG_SAMPLING_FACTOR_422, "440": cv2.IMWRITE_JPEG_SAMPLING_FACTOR_440,
        "444": cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444,
    }
    for w, h in [(1, 1), (2, 3), (5, 2), (7, 9), (17, 15), (33, 18)]:
        for name, factor in factors.items():
            for progressive, restart, quality, make in [(0, 0, 90, smooth), (1, 0, 75, smooth), (0, 2, 30, extreme)]:
                _, data = cv2.imencode(".jpg", make(w, h), [
                    cv2.IMWRITE_JPEG_QUALITY, quality, cv2.IMWRITE_JPEG_PROGRESSIVE, progressive,
                    cv2.IMWRITE_JPEG_SAMPLING_FACTOR, factor, cv2.IMWRITE_JPEG_RST_INTERVAL, restart])
                pictures[f"{w}x{h}_{name}_p{progressive}_r{restart}_q{quality}.jpg"] = data.tobytes()
    image = Image.fromarray(smooth(21, 13))
    pillow("rgb.jpg", image, "JPEG", keep_rgb=True)
    pillow("grey.jpg", image.convert("L"), "JPEG")
    pillow("wide_quant.jpg", image, "JPEG", qtables=[[min(1 + i * 37, 2000) for i in range(64)]] * 2)
    pillow("cmyk.jpg", image.convert("CMYK"), "JPEG")
    cmyk = bytearray(pillow("cmyk_p.jpg", image.convert("CMYK"), "JPEG", progressive=True))
    cmyk[cmyk.find(b"Adobe") + 11] = 2
    pictures["ycck.jpg"] = bytes(cmyk)
    plain = pillow("plain.jpg", image, "JPEG", subsampling="4:2:2")
    pictures["no_end.jpg"] = plain[:-2]
    pictures["junk_behind.jpg"] = plain + b"junk"
    at = plain.find(b"\xff\xdb")
    pictures["fill_bytes.jpg"] = plain[:at] + b"\xff\xff" + plain[at:]
    tables = plain
    while (at := tables.find(b"\xff\xc4")) >= 0:
        tables = tables[:at] + tables[at + 2 + struct.unpack(">H", tables[at + 2:at + 4])[0]:]
    pictures["no_huffman.jpg"] = tables
    for value in range(0, 10):
        pictures[f"exif_{value}.jpg"] = plain[:2] + app1(exif("<", value)) + plain[2:]
    pictures["exif_big_endian.jpg"] = plain[:2] + app1(exif(">", 6)) + plain[2:]
    pictures["exif_second_app1.jpg"] = plain[:2] + app1(b"http://ns.adobe.com/xap/1.0/\0<x/>") + app1(exif("<", 6)) + plain[2:]
    bad_text = struct.pack("<HHII", 0x10f, 2, 400, 100000)
    pictures["exif_bad_text.jpg"] = plain[:2] + app1(exif("<", 6, bad_text)) + plain[2:]


def exif(order, value, before=b""):
    entries = before + struct.pack(order + "HHIHH", 0x112, 3, 1, value, 0)
    head = (b"II" if order == "<" else b"MM") + struct.pack(order + "HI", 42, 8)
    return b"Exif\0\0" + head + struct.pack(order + "H", len(entries) // 12) + entries + bytes(4)


def app1(body):
    return b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(w, h, depth, colour, rows, extra=b"", interlace=0):
    head = struct.pack(">IIBBBBB", w, h, depth, colour, 0, 0, interlace)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + extra + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def pngs():
    rgb = smooth(13, 9)
    image = Image.fromarray(rgb)
    alpha = np.dstack([rgb, rng.integers(0, 256, (9, 13))]).astype(np.uint8)
    pillow("rgb.png", image, "PNG", transparency=tuple(int(v) for v in rgb[0, 0]))
    pillow("rgba.png", Image.fromarray(alpha), "PNG")
    pillow("grey.png", image.convert("L"), "PNG", transparency=77)
    pillow("grey_alpha.png", image.convert("LA"), "PNG")
    for n in (2, 4, 16, 200):
        pillow(f"palette{n}.png", image.quantize(n), "PNG", transparency=bytes([10, 255]))
    deep = rng.integers(0, 65536, (9, 13, 3)).astype(np.uint16)
    for name, a in {"rgb16": deep, "grey16": deep[:, :, :1], "rgba16": deep[:, :, [0, 1, 2, 0]]}.items():
        pictures[name + ".png"] = cv2.imencode(".png", a)[1].tobytes()
    for depth in (1, 2, 4):
        packed = rng.integers(0, 256, (9, (13 * depth + 7) // 8)).astype(np.uint8)
        pictures[f"grey{depth}.png"] = png(13, 9, depth, 0, b"".join(b"\0" + r.tobytes() for r in packed))
    passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    rows = b"".join(b"\0" + r.tobytes() for x, y, dx, dy in passes for r in rgb[y::dy, x::dx])
    pictures["interlaced.png"] = png(13, 9, 8, 2, rows, interlace=1)
    rows = b"".join(b"\0" + r.tobytes() for r in rgb)
    pictures["exif.png"] = png(13, 9, 8, 2, rows, extra=chunk(b"eXIf", exif(">", 6)[6:]))


def bmp(w, h, bits, pixels, compression=0, palette=b"", masks=b""):
    head = struct.pack("<IiiHHIIiiII", 40, w, h, 1, bits, compression, len(pixels), 0, 0, len(palette) // 4, 0) + masks
    offset = 14 + len(head) + len(palette)
    return b"BM" + struct.pack("<IHHI", offset + len(pixels), 0, 0, offset) + head + palette + pixels


def padded(rows):
    return b"".join(r + bytes(-len(r) % 4) for r in rows)


def noise(n):
    return rng.integers(0, 256, n).astype(np.uint8).tobytes()


def bmps():
    rgb = smooth(13, 9)
    pillow("rgb.bmp", Image.fromarray(rgb), "BMP")
    alpha = np.dstack([rgb, rng.integers(0, 256, (9, 13))]).astype(np.uint8)
    pillow("rgba.bmp", Image.fromarray(alpha), "BMP")
    pictures["top_down.bmp"] = bmp(13, -9, 24, padded(r.tobytes() for r in rgb))
    palette = noise(64 * 4)
    for bits, n in [(1, 2), (4, 16), (8, 64)]:
        rows = [bytes(v % n if bits == 8 else v for v in noise((13 * bits + 7) // 8)) for _ in range(9)]
        pictures[f"palette{bits}.bmp"] = bmp(13, 9, bits, padded(rows), palette=palette[:4 * n])
    for name, compression, masks in [("555", 0, b""), ("565", 3, struct.pack("<III", 0xf800, 0x7e0, 0x1f))]:
        pictures[name + ".bmp"] = bmp(13, 9, 16, padded(noise(26) for _ in range(9)), compression, masks=masks)
    pictures["bgrx.bmp"] = bmp(13, 9, 32, noise(13 * 9 * 4))
    runs = b"".join(bytes([5, y, 0, 3, 1, y + 1, 2, 0, 5, 7 * y, 0, 0]) for y in range(9)) + b"\0\1"
    pictures["rle8.bmp"] = bmp(13, 9, 8, runs, 1, palette)
    runs = b"".join(bytes([5, y * 9, 0, 3, 0x12, 0x30, 5, 7 * y, 0, 0]) for y in range(9)) + b"\0\1"
    pictures["rle4.bmp"] = bmp(13, 9, 4, runs, 2, palette[:64])
    rows = padded(noise(39) for _ in range(9))
    pictures["os2.bmp"] = b"BM" + struct.pack("<IHHI", 26 + len(rows), 0, 0, 26) + struct.pack("<IHHHH", 12, 13, 9, 1, 24) + rows


def checksum(rgb):
    return hashlib.sha256(np.ascontiguousarray(rgb).tobytes()).hexdigest()[:16]


def decoded():
    sums = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, data in sorted(pictures.items()):
            path = os.path.join(folder, name)
            with open(path, "wb") as f:
                f.write(data)
            bgr = cv2.imread(path)
            assert bgr is not None, name
            sums[name] = {"w": bgr.shape[1], "h": bgr.shape[0], "sum": checksum(bgr[:, :, ::-1])}
    return sums


def lcg(w, h, seed):
    """The pictures that the tests make too: the high bytes of a linear congruential sequence."""
    values, out = seed, np.empty(3 * w * h, np.uint8)
    for i in range(out.size):
        values = (values * 1664525 + 1013904223) % 2**32
        out[i] = values >> 24
    return out.reshape(h, w, 3)


def resized():
    cases = []
    for seed in range(60):
        sw, sh, w, h = (int(v) for v in rng.integers(1, 60, 4))
        if seed % 4 == 0:
            fx, fy = (int(v) for v in rng.integers(1, 5, 2))
            w, h = max(w // fx, 1), max(h // fy, 1)
            sw, sh = w * fx, h * fy
        if seed % 7 == 0:
            w = sw
        src = lcg(sw, sh, seed)
        cases.append({
            "seed": seed, "sw": sw, "sh": sh, "w": w, "h": h,
            "area": checksum(cv2.resize(src, (w, h), interpolation=cv2.INTER_AREA)),
            "linear": checksum(cv2.resize(src, (w, h), interpolation=cv2.INTER_LINEAR)),
            "pillow": checksum(np.asarray(Image.fromarray(src).resize((w, h), Image.BILINEAR)))})
    return cases


jpegs()
pngs()
bmps()
with zipfile.ZipFile(os.path.join(os.path.dirname(__file__), "zoo.zip"), "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
    entries = {"decoded.json": json.dumps(decoded()), "resized.json": json.dumps(resized())}
    for name, data in list(entries.items()) + sorted(pictures.items()):
        z.writestr(zipfile.ZipInfo(name), data, compress_type=zipfile.ZIP_DEFLATED)
