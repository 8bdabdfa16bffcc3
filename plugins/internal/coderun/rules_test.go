package coderun

import (
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/programs"
)

// TestMXEvalRulesPython: programs and tests that talk across the border between their processes by more than plain
// values. What is wanted is what they give as one text in one process.
func TestMXEvalRulesPython(t *testing.T) {
	r := runner(t, false)
	for name, x := range map[string]struct {
		source, tests string
		want          string
	}{
		"tuple":            {"def f(x): return (x, [x])", "assert f(1) == (1, [1])", "passed"},
		"tuple is no list": {"def f(x): return (x,)", "assert f(1) == [1]", "test 1: AssertionError()"},
		"set":              {"def f(x): return {x, frozenset([x])}", "assert f(1) == {1, frozenset([1])}", "passed"},
		"bool and int":     {"def f(x): return True", "assert f(1) == 1 and f(1) is True", "passed"},
		"float":            {"def f(x): return x / 3", "assert f(1) == 1/3 and f(1.5) == 0.5", "passed"},
		"nan": {
			"def f(x): return float('nan')",
			"assert f(1) == float('nan')",
			"test 1: AssertionError()",
		},
		"large numbers": {"def f(x): return -x ** 99", "assert f(10) == -10 ** 99", "passed"},
		"complex, bytes": {
			"def f(x): return [1j, b'\\xff', bytearray(b'a')]",
			"assert f(1) == [1j, b'\\xff', bytearray(b'a')]",
			"passed",
		},
		"keys": {
			"def f(x): return {(1, 2): None, 1: {}}",
			"assert f(1) == {(1, 2): None, 1: {}}",
			"passed",
		},
		"text": {"def f(x): return x + '\\ud800é\\0'", "assert f('a') == 'a\\ud800é\\0'", "passed"},
		"range": {
			"def f(x): return range(x)",
			"assert list(f(3)) == [0, 1, 2] and f(3) == range(3)",
			"passed",
		},
		"counter": {
			"import collections\ndef f(x): return collections.Counter(x)",
			"assert f('aab') == {'a': 2, 'b': 1}",
			"passed",
		},
		"ordered": {
			"from collections import *\ndef f(x): return OrderedDict(a=1), defaultdict(int, a=1)",
			"assert f(1) == ({'a': 1}, {'a': 1})",
			"passed",
		},
		"deque": {
			"from collections import deque\ndef f(x): return deque(x)",
			"assert list(f([1, 2])) == [1, 2] and f([1]) != [1]",
			"passed",
		},
		"named tuple": {
			"from collections import namedtuple\nP = namedtuple('P', 'a b')\ndef f(x): return P(1, 2)",
			"assert f(1) == (1, 2)",
			"passed",
		},
		"enumeration": {
			"import enum\nclass E(enum.IntEnum):\n  A = 3\ndef f(x): return E.A",
			"assert f(1) == 3",
			"passed",
		},
		"exact numbers": {
			"from fractions import *\nfrom decimal import *\ndef f(x): return Fraction(1, 2), Decimal('0.5')",
			"assert f(1) == (0.5, 0.5)",
			"passed",
		},
		"generator": {
			"def f(x): yield from x",
			"assert list(f([1, 2])) == [1, 2] and sorted(f('ba')) == ['a', 'b']",
			"passed",
		},
		"map": {"def f(x): return map(str, x)", "assert list(f([1, 2])) == ['1', '2']", "passed"},
		"changes a list": {
			"def f(x): x.append(x.pop(0))",
			"a = [1, 2]\n    f(a)\n    assert a == [2, 1]",
			"passed",
		},
		"changes a dict": {
			"def f(d, s, *, k): d[1] = 2; s.add(k)",
			"d, s = {}, {0}\n    f(d, s, k=5)\n    assert (d, s) == ({1: 2}, {0, 5})",
			"passed",
		},
		"class": {
			"class Pair:\n  def __init__(self, a, b): self.a, self.b = a, b\ndef f(x): return [p.a for p in x]",
			"assert f([Pair(1, 2), Pair(3, 4)]) == [1, 3]",
			"passed",
		},
		"attribute": {
			"class Node:\n  def __init__(self, v): self.v, self.next = v, None\ndef f(x):\n" +
				"  n = Node(x); n.next = Node(x + 1); return n",
			"assert f(1).next.v == 2 and f(1).next.next is None",
			"passed",
		},
		"items": {
			"class A:\n  def __getitem__(self, k): return k * 2\n  def __len__(self): return 4\n" +
				"  def __repr__(self): return 'A!'\ndef f(x): return A()",
			"assert f(1)[3] == 6 and len(f(1)) == 4 and str(f(1)) == 'A!'",
			"passed",
		},
		"truth":          {"class A: pass\ndef f(x): return A()", "assert f(1)", "passed"},
		"function given": {"def f(g, x): return g(x) + g(x)", "assert f(lambda v: v * 3, 2) == 12", "passed"},
		"function back":  {"def f(n): return lambda x: x + n", "assert f(2)(3) == 5", "passed"},
		"helper":         {"def poly(x): return x * x\ndef f(x): return x + 1", "assert poly(f(1)) == 4", "passed"},
		"module": {
			"import math\ndef f(x): return x / 3",
			"assert math.isclose(f(1), 0.3333333333)",
			"passed",
		},
		"from a module": {
			"from math import *\ndef f(x): return x / 3",
			"assert isclose(f(1), 0.3333333333)",
			"passed",
		},
		"own import": {"def f(x): return x", "import math\n    assert math.floor(f(1.5)) == 1", "passed"},
		"no such module": {
			"def f(x): return x",
			"assert math.floor(f(1.5)) == 1",
			"test 1: NameError(\"name 'math' is not defined\")",
		},
		"exception": {
			"def f(x): raise ValueError('no', x)",
			"try:\n        f(1)\n        assert False\n    except ValueError as e:\n" +
				"        assert e.args == ('no', 1)",
			"passed",
		},
		"own exception": {
			"class Bad(Exception): pass\ndef f(x): raise Bad('x')",
			"assert f(1)",
			"test 1: Bad('x')",
		},
		"system error": {
			"def f(x): open('/none')",
			"assert f(1)",
			"test 1: FileNotFoundError(2, 'No such file or directory')",
		},
		"key error": {"def f(x): return {}[x]", "assert f('a')", "test 1: KeyError('a')"},
		"prints":    {"def f(x):\n  print(x); return x", "print(f(1))\n    assert f(1) == 1", "passed"},
		"reads":     {"def f(x): return input()", "assert f(1)", "test 1: OSError()"},
		"missing": {
			"def g(x): return x",
			"assert f(1) == 1",
			"test 1: NameError(\"name 'f' is not defined\")",
		},
		"syntax": {"def f(x) return x", "assert f(1) == 1", "test 1: SyntaxError("},
		"state": {
			"n = 0\ndef f(x):\n  global n\n  n += x; return n",
			"assert f(1) == 1 and f(1) == 2",
			"passed",
		},
		"recursion": {
			"def f(x): return f(x)",
			"assert f(1)",
			"test 1: RecursionError('maximum recursion depth exceeded')",
		},
		"exits":         {"import sys\ndef f(x): sys.exit(0)", "assert f(1)", "test 1: SystemExit(0)"},
		"exits at once": {"import sys\nsys.exit(0)", "pass", "test 1: SystemExit(0)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, err := r.Run(t.Context(), programs.MXEval(x.source, "def check(f):\n    "+x.tests+"\n", "f"))
			if err != nil || !strings.HasPrefix(v.String(), x.want) || v.Passed != (x.want == "passed") {
				t.Errorf("%v, %v, want %s", v, err, x.want)
			}
		})
	}
}
