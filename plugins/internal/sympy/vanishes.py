# Prints whether the expression on standard input is 0: "0", "not 0", or "unreadable".
import sys

from sympy import simplify
from sympy.parsing import sympy_parser as reader

text = sys.stdin.buffer.read().decode("utf-8", "surrogatepass")
rules = (*reader.standard_transformations, reader.implicit_multiplication_application)
try:
    difference = reader.parse_expr(text.replace("^", "**"), transformations=rules)
    answer = "0" if simplify(difference) == 0 else "not 0"
except Exception:
    answer = "unreadable"
print("\n" + answer)
