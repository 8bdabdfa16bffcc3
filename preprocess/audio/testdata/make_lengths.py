"""Writes lengths.json: WAV files whose lengths are not known, or stand elsewhere, and what libsndfile reads of them.

With soundfile 0.14.0 (libsndfile 1.2.2): pip install soundfile numpy; python make_lengths.py > lengths.json
"""

import base64
import io
import json
import struct

import numpy
import soundfile

RATE = 16000
tone = (numpy.sin(numpy.arange(37) / 3) * 20000).astype("<i2")
stereo = numpy.stack([tone, -tone], axis=1)


def written(form, subtype="PCM_16", samples=tone):
    out = io.BytesIO()
    out.name = "x." + form
    soundfile.write(out, samples, RATE, format=form, subtype=subtype)
    return out.getvalue()


def chunk(name, body, size=None):
    return name + struct.pack("<I", len(body) if size is None else size) + body


def wav(size, data, riff=0xFFFFFFFF, before=b"", behind=b"", channels=1):
    form = struct.pack("<HHIIHH", 1, channels, RATE, 2 * channels * RATE, 2 * channels, 16)
    body = b"WAVE" + chunk(b"fmt ", form) + before + chunk(b"data", data, size) + behind
    return b"RIFF" + struct.pack("<I", len(body) if riff is None else riff) + body


def rf64(data, length, name=b"RF64", size=0xFFFFFFFF):
    ds64 = chunk(b"ds64", struct.pack("<QQQI", 0, length, len(data) // 2, 0))
    form = chunk(b"fmt ", struct.pack("<HHIIHH", 1, 1, RATE, 2 * RATE, 2, 16))
    return name + b"\xff\xff\xff\xffWAVE" + ds64 + form + chunk(b"data", data, size)


data = tone.tobytes()
note = chunk(b"LIST", b"INFOISFT\x0e\x00\x00\x00Lavf60.16.100\x00")
files = {
    "all bits": wav(0xFFFFFFFF, data),
    "all bits, as ffmpeg writes to a pipe": wav(0xFFFFFFFF, data, before=note),
    "zero": wav(0, data, riff=0),
    "zero, and the whole length right": wav(0, data, riff=None),
    "nearly 2 GiB": wav(0x7FFFFFFF - 44, data, riff=0x7FFFFFFF),
    "sox": wav(0x7FFFF000, data, riff=0x7FFFF024),
    "arecord": wav(0x80000000, data, riff=0x80000024),
    "all bits, ends within a sample": wav(0xFFFFFFFF, data + b"\x01"),
    "all bits, two channels": wav(0xFFFFFFFF, stereo.astype("<i2").tobytes(), channels=2),
    "all bits, two channels, ends within a frame": wav(0xFFFFFFFF, stereo.astype("<i2").tobytes() + b"\1\2", channels=2),
    "all bits, no sound": wav(0xFFFFFFFF, b""),
    "zero, no sound": wav(0, b"", riff=None),
    "known, a chunk behind": wav(None, data, riff=None, behind=note),
    "RF64 by libsndfile": written("RF64"),
    "RF64 by libsndfile, 24 bits": written("RF64", "PCM_24"),
    "RF64 by libsndfile, floats": written("RF64", "FLOAT", (tone / 32768).astype("f4")),
    "RF64 by libsndfile, two channels": written("RF64", "PCM_16", stereo),
    "RF64": rf64(data, len(data)),
    "WAVEX": written("WAVEX"),
    "W64": written("W64"),
    "AIFF": written("AIFF"),
    "BW64": rf64(data, len(data), b"BW64"),
}
out = []
for name, file in files.items():
    entry = {"name": name, "file": base64.b64encode(file).decode()}
    try:
        samples, rate = soundfile.read(io.BytesIO(file), dtype="float32", always_2d=True)
        entry |= {"rate": rate, "channels": samples.shape[1], "samples": samples.flatten().tolist()}
    except soundfile.LibsndfileError as e:
        entry["error"] = str(e)
    out.append(entry)
print("[\n" + ",\n".join(json.dumps(e) for e in out) + "\n]")
