"""python -m plumbline_inference ARGUMENTS is harness ARGUMENTS."""

import os
import sys

from ._program import program

path = program()
os.execv(path, [str(path), *sys.argv[1:]])
