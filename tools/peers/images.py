#!/usr/bin/env python3
"""How long OpenCV, NumPy and SciPy take for what Plumbline does to pictures and volumes, on one thread.

    pip install opencv-python-headless numpy scipy
    OMP_NUM_THREADS=1 python3 images.py jpeg FOLDER     # a folder of JPEG files: decode, then vgg
    OMP_NUM_THREADS=1 python3 images.py stretch         # a decoded photo to RetinaNet's input
    OMP_NUM_THREADS=1 python3 images.py letterbox FILE  # a JPEG file to YOLO's input
    OMP_NUM_THREADS=1 python3 images.py volume          # a scan to 3d-unet's input; blending of windows
    OMP_NUM_THREADS=1 python3 images.py head            # four channels of a head to 3d-unet-brats' input

The same work here:

    go test ./preprocess/image -run '^$' -bench 'FromBytes|Decode|Stretch|Letterbox'
    go test ./preprocess/volume -run '^$' -bench 'Image|Blend|Head'
"""

import sys
import time
from pathlib import Path

import numpy as np

PASSES = 5
VGG_MEANS = np.array([123.68, 116.78, 103.94], np.float32)


def best(work, clock=time.process_time):
    """The shortest of some passes, in seconds."""
    times = []
    for _ in range(PASSES):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


def one_threaded():
    import cv2

    cv2.setNumThreads(1)
    return cv2


def vgg(cv2, picture, size=224):
    """Shorter side to size / 0.875, the middle, minus the means, planes."""
    height, width = picture.shape[:2]
    shorter = int(size / 0.875)
    scale = (shorter, shorter * height // width) if height > width else (shorter * width // height, shorter)
    picture = cv2.resize(picture, scale, interpolation=cv2.INTER_AREA)
    top, left = (picture.shape[0] - size) // 2, (picture.shape[1] - size) // 2
    picture = picture[top : top + size, left : left + size].astype(np.float32) - VGG_MEANS
    return np.ascontiguousarray(picture.transpose(2, 0, 1))


def jpeg(folder):
    cv2 = one_threaded()
    files = sorted(p for p in Path(folder).iterdir() if p.suffix.lower() in (".jpg", ".jpeg"))
    if not files:
        sys.exit(f"{folder}: no .jpg or .jpeg file in it")
    data = [np.frombuffer(p.read_bytes(), np.uint8) for p in files]

    def decode():
        return [cv2.imdecode(d, cv2.IMREAD_COLOR) for d in data]

    def whole():
        for d in data:
            vgg(cv2, cv2.cvtColor(cv2.imdecode(d, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB))

    print(f"decode: {len(data) / best(decode):.0f} pictures/s")
    print(f"decode and vgg: {len(data) / best(whole):.0f} pictures/s")


def stretch():
    cv2 = one_threaded()
    photo = np.random.default_rng(1).integers(0, 256, (480, 640, 3), np.uint8)

    def planes():
        resized = cv2.resize(photo.astype(np.float32), (800, 800), interpolation=cv2.INTER_LINEAR) / 255
        np.ascontiguousarray(resized.transpose(2, 0, 1))

    print(f"640x480 to 3x800x800 float32: {best(planes) * 1e3:.2f} ms")


def letterbox(file, size=640):
    cv2 = one_threaded()
    data = np.frombuffer(Path(file).read_bytes(), np.uint8)
    times = 50

    def planes(picture):
        height, width = picture.shape[:2]
        scale = min(size / height, size / width)
        w, h = round(width * scale), round(height * scale)
        left, top = round((size - w) / 2 - 0.1), round((size - h) / 2 - 0.1)
        picture = cv2.resize(picture, (w, h), interpolation=cv2.INTER_LINEAR)
        border = (top, size - h - top, left, size - w - left)
        picture = cv2.copyMakeBorder(picture, *border, cv2.BORDER_CONSTANT, value=(114, 114, 114))
        np.ascontiguousarray(picture[:, :, ::-1].transpose(2, 0, 1)).astype(np.float32) / 255

    def whole():
        for _ in range(times):
            planes(cv2.imdecode(data, cv2.IMREAD_COLOR))

    picture = cv2.imdecode(data, cv2.IMREAD_COLOR)
    print(f"decode and letterbox: {best(whole) / times * 1e3:.2f} ms")
    print(f"letterbox: {best(lambda: [planes(picture) for _ in range(times)]) / times * 1e3:.2f} ms")


def prepared(scan, spacing, window=128):
    """Resamples to (1.6, 1.2, 1.2) mm, clips, normalises, and pads to the window."""
    from scipy.ndimage import zoom

    factors = np.array(spacing) / (1.6, 1.2, 1.2)
    scan = zoom(scan, factors, order=1, mode="constant", cval=scan.min(), grid_mode=False)
    scan = (np.clip(scan, -79, 304) - np.float32(101)) / np.float32(76.9)
    return np.pad(scan, [(0, max(0, window - n)) for n in scan.shape], mode="edge")


def volume():
    from scipy.signal.windows import gaussian

    scan = (np.arange(130 * 512 * 512, dtype=np.float32) % 2000 - 1000).reshape(130, 512, 512)
    print(f"130x512x512 voxels to windows of 128: {best(lambda: prepared(scan, (3, 0.78, 0.78))):.2f} s")
    shape, side, classes = (128, 192, 192), 128, 3
    one = gaussian(side, side / 8)
    weights = (one[:, None, None] * one[:, None] * one).astype(np.float32)
    scores = np.random.default_rng(1).standard_normal((classes, side, side, side), np.float32)
    rows, columns = (range(0, n - side + 1, side // 2) for n in shape[1:])
    origins = [(0, y, x) for y in rows for x in columns]

    def blend():
        total, norm = np.zeros((classes, *shape), np.float32), np.zeros(shape, np.float32)
        for z, y, x in origins:
            part = np.s_[z : z + side, y : y + side, x : x + side]
            total[(slice(None), *part)] += scores * weights
            norm[part] += weights
        return (total / norm).argmax(0)

    print(f"blending, per window of {side} with {classes} classes: {best(blend) / len(origins) * 1e3:.1f} ms")


def head():
    from scipy.ndimage import binary_fill_holes

    scan = np.zeros((4, 155, 240, 240), np.float32)
    scan[:, 10:140, 41:200, 51:190] = np.random.default_rng(1).integers(0, 1000, (4, 130, 159, 139))

    def prepare():
        mask = binary_fill_holes((scan != 0).any(0))
        places = np.argwhere(mask)
        box = tuple(slice(*ends) for ends in zip(places.min(0), places.max(0) + 1))
        mask, channels = mask[box], scan[(slice(None), *box)].copy()
        for channel in channels:
            inside = channel[mask]
            channel[mask] = (inside - inside.mean()) / (inside.std() + np.float32(1e-8))
            channel[~mask] = 0
        room = [n - k for n, k in zip((160, 224, 224), mask.shape)]
        return np.pad(channels, [(0, 0), *((n // 2, n - n // 2) for n in room)])

    print(f"4x155x240x240 voxels to 4x160x224x224: {best(prepare):.2f} s")


if __name__ == "__main__":
    ways = {"jpeg": jpeg, "stretch": stretch, "letterbox": letterbox, "volume": volume, "head": head}
    if len(sys.argv) < 2 or sys.argv[1] not in ways:
        sys.exit(__doc__)
    ways[sys.argv[1]](*sys.argv[2:])
