# Writes ascii.json: for each block of 256 code points, the first 16 hexadecimal digits of the SHA-256 of what the official
# cleaning's Unidecode makes of them, each followed by a zero byte. Blocks of which nothing is left are not listed.
#
#   pip install Unidecode==1.4.0
#   python make_ascii.py > ascii.json
import hashlib
import json
import warnings
from importlib.metadata import version

from unidecode import unidecode

warnings.simplefilter("ignore")  # of surrogates, which no valid text has
blocks = {}
for first in range(0, 0x110000, 256):
    texts = ["" if 0xD800 <= c < 0xE000 else unidecode(chr(c)) for c in range(first, first + 256)]
    if any(texts):
        blocks["%04x" % (first >> 8)] = hashlib.sha256("".join(t + "\0" for t in texts).encode()).hexdigest()[:16]
print(json.dumps({"unidecode": version("Unidecode"), "blocks": blocks}, indent=0))
