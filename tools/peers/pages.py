"""Passages of web pages by the reference of e2e-rag: python pages.py MLC DIR

MLC is a checkout of github.com/mlcommons/inference; DIR gets 100 drawn pages of about 155 kB, if it has none. Needs
beautifulsoup4, lxml, pandas, requests and tqdm. Prints processor time of each page, and the SHA-256 over the passages
of the first 40, which `go test ./plugins/rag/internal/passages -run '^$' -bench Folder` logs, too.
"""

import hashlib
import random
import sys
import time
import types
from pathlib import Path

WORDS = "town river mayor county school railway population church north built opened was the of in and a first".split()


def page(r):
    parts = ["<!DOCTYPE html><html><head><title>P</title><style>.a{}</style><script>var x=1;</script></head><body><nav>"]
    parts.append("<a>x</a>" * 60 + '</nav><div id="mw-content-text"><div class="mw-parser-output">')
    for s in range(r.randint(10, 40)):
        parts.append(f'<h2><span>Section {s}</span><span class="mw-editsection">[edit]</span></h2>')
        for _ in range(r.randint(2, 6)):
            parts.append("<p>")
            for k in range(r.randint(3, 9)):
                parts.append(" ".join(word(r) for _ in range(r.randint(8, 25))))
                parts.append(f'.<sup class="reference"><a href="#c">[{k}]</a></sup> ')
            parts.append("</p>")
        rows = "".join(f"<tr><td>{1900 + i}</td><td>{r.choice(WORDS)}</td></tr>" for i in range(12))
        parts.append(f"<table><tbody>{rows}</tbody></table>")
    return "\n".join(parts) + '<div class="navbox"><ul><li>n</li></ul></div></div></div></body></html>'


def word(r):
    w = r.choice(WORDS)
    return w if r.random() > 0.12 else f'<a href="/wiki/{w}" title="{w}">{w}</a>'


def main(checkout, folder):
    sys.modules["fitz"] = types.ModuleType("fitz")  # reads PDF alone
    sys.path.insert(0, str(Path(checkout) / "e2e-rag"))
    from read_docs import HTMLExtractor
    from text_splitter import split_into_fixed_passages

    folder.mkdir(parents=True, exist_ok=True)
    if not any(folder.glob("*.html")):
        r = random.Random(1)
        for n in range(100):
            (folder / f"p{n:03}.html").write_text(page(r))
    files = sorted(folder.glob("*.html"))[:40]
    extractor = HTMLExtractor(text_boundary="word")
    began, count, digest = time.process_time(), 0, hashlib.sha256()
    for file in files:
        passages = split_into_fixed_passages(extractor.extract_text(str(file)), 768, 32)
        count += len(passages)
        digest.update(("\0".join(passages) + "\1").encode())
    took = (time.process_time() - began) / len(files)
    print(f"{1000 * took:.1f} ms, {count / len(files):.1f} passages a page, sha256 {digest.hexdigest()}")


main(sys.argv[1], Path(sys.argv[2]))
