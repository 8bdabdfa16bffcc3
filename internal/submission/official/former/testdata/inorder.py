# Runs an official checker on trees, with the names of folders in order: inorder.py CHECKER, and on standard input a line
# for each tree: its folder, the file for the summary, and arguments, with tabs between them. Says of each in a line of
# JSON whether the checker ended with an exception, and the paths without a result.
import json
import logging
import os
import sys

listed = os.listdir
os.listdir = lambda *where: sorted(listed(*where))
checker = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.dirname(checker))
names = {"__name__": "checker", "__file__": checker}
with open(checker, encoding="utf-8") as f:
    exec(compile(f.read(), checker, "exec"), names)


class Keep(logging.Handler):
    def emit(self, record):
        if record.msg.startswith("NoResults"):
            self.without.append(record.args[0])


keep = Keep()
logging.getLogger().handlers = [keep]
logging.raiseExceptions = False
home = os.getcwd()
for line in sys.stdin:
    root, file, *args = line.rstrip("\n").split("\t")
    keep.without = []
    sys.argv = [checker, "--input", root, "--csv", file, *args]
    crash = False
    try:
        names["main"]()
    except Exception:
        crash = True
    os.chdir(home)
    print(json.dumps({"crash": crash, "without": sorted(keep.without)}), flush=True)
