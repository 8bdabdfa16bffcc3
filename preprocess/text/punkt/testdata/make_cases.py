"""Writes cases.json: random texts and the sentences that nltk's Punkt finds in them, with the parameters in golden/.

Needs nltk 3.10. Run in this folder: python make_cases.py [COUNT [SEED [FILE]]]
"""
import json
import random
import sys

from nltk.tokenize import punkt

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 300
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 1
OUT = sys.argv[3] if len(sys.argv) > 3 else "cases.json"

random.seed(SEED)


def parameters():
    p = punkt.PunktParameters()
    read = lambda name: open("golden/scorers/rouge_strings/a/punkt_tab_english/" + name, encoding="utf-8").read().split("\n")
    p.abbrev_types = set(read("abbrev_types.txt"))
    p.collocations = {tuple(line.split("\t")) for line in read("collocations.tab") if line}
    p.sent_starters = set(read("sent_starters.txt"))
    for line in read("ortho_context.tab"):
        if line:
            word, context = line.split("\t")
            p.ortho_context[word] = int(context)
    return p


WORDS = (
    "the The a A he He it It see She but they Dr. Mr. mr. U.S. u.s. St. Louis louis J. j. R. Tolkien tolkien Jones No. no. 5 3.5 "
    "1,200 -7. .5 5. 12. percent Percent Fig. fig. e.g. i.e. etc. et al. vol. p.m. a.m. Monday rock'n'roll co-u.s. near Near royal "
    "company Okafor Zürich étude É. Ö. ß. ŋ. 東京 東京。 北京. №5 ΣΟΦΟΣ. İstanbul. _ _. ①. ٣. x. Ǆ. ǅ. $5.6 AT&T C++ 3-4. ...five "
    "Wait... what?! .. .. . ... ! ? -- - --- , ; : ( ) [ ] { } \" ' '' `` * @ # & \u2019 \u201d a,b a, ,a b-c. (Really?) \"It's end.\" "
    "\ufeff \u00ad. \U0001F642 \U0001F642. see. A.B.C. . . . .a b..c d...e\u2026 \u2026"
).split(" ")
SPACES = [" "] * 30 + ["", "", "", "  ", "\n", "\n\n", "\t", "\u00a0", "\u2028", "\x0b", "\x1c", " \n ", "\r\n", "\u3000"]
ENDS = ["."] * 6 + ["!", "?", "...", ". ", "?!", ".)", ".\"", ".'", ".--", ". )", ".\n\""]


def text():
    parts = [random.choice(SPACES)] if random.random() < 0.2 else []
    for _ in range(random.randrange(25)):
        parts.append(random.choice(WORDS))
        if random.random() < 0.3:
            parts.append(random.choice(ENDS))
        parts.append(random.choice(SPACES))
    return "".join(parts)


splitter = punkt.PunktSentenceTokenizer()
splitter._params = parameters()
cases = []
for _ in range(COUNT):
    t = text()
    cases.append({"text": t, "sentences": splitter.tokenize(t)})
with open(OUT, "w", encoding="utf-8") as f:
    f.write("[\n" + ",\n".join(json.dumps(c, ensure_ascii=False) for c in cases) + "\n]\n")
