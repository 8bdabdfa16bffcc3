package sympy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/reasoning/mathgrade"
	"github.com/plumbline-ml/plumbline/internal/sandbox"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/sdk"
)

// open opens the Python that PLUMBLINE_SYMPY names, or python3.
func open(t *testing.T) *Algebra {
	t.Helper()
	python := os.Getenv("PLUMBLINE_SYMPY")
	if python == "" {
		python = "python3"
	}
	a, err := Open(t.Context(), python, false)
	if errors.Is(err, sandbox.ErrRefused) {
		a, err = Open(t.Context(), python, true)
	}
	if err != nil {
		t.Skipf("no Python with SymPy (PLUMBLINE_SYMPY names one): %v", err)
	}
	return a
}

func TestVanishes(t *testing.T) {
	a := open(t)
	a.limits.CPU = 4 * time.Second
	if !strings.HasPrefix(a.Name(), "SymPy 1.") {
		t.Errorf("name %q", a.Name())
	}
	for expression, want := range map[string]mathgrade.Step{
		"(sqrt(8))-(2sqrt(2))": mathgrade.AlgebraEqual,
		"(0.1+0.2)-(0.3)":      mathgrade.AlgebraDiffers,
		"(x=1)-(x=2)":          mathgrade.Unreadable,
		"(1,2)-(2,1)":          mathgrade.Unreadable,
		"(9**9**9**9)-(1)":     mathgrade.Bounded,
		"(φ)-(ϕ)":              mathgrade.AlgebraDiffers,
	} {
		if got, _, err := a.Vanishes(t.Context(), expression); got != want || err != nil {
			t.Errorf("%s: %v, %v, want %v", expression, got, err, want)
		}
	}
}

// TestGolden asks SymPy for each golden pair that texts alone do not decide: minutes, and so only where the variable
// names a Python.
func TestGolden(t *testing.T) {
	if os.Getenv("PLUMBLINE_SYMPY") == "" {
		t.Skip("PLUMBLINE_SYMPY names no Python")
	}
	a := open(t)
	type pair struct {
		Given, Truth, Step string
		Out                bool
	}
	asked := 0
	for _, p := range golden.ReadLines[pair](t, filepath.Join(golden.Root(t), "reasoning", "math", "pairs.jsonl")) {
		if p.Given == "" || p.Truth == "" || !strings.HasPrefix(p.Step, "sympy_") || p.Step == "sympy_refused" {
			continue
		}
		v, err := mathgrade.Grade(t.Context(), p.Given, p.Truth, a)
		if err != nil || v.Equal != p.Out {
			t.Errorf("%q and %q: %v by %v, %v, want %v", p.Given, p.Truth, v.Equal, v.Step, err, p.Out)
		}
		asked++
	}
	t.Logf("%d pairs", asked)
}

func TestCancelled(t *testing.T) {
	a := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := a.Vanishes(ctx, "(x)-(y)"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestParse(t *testing.T) {
	for _, text := range []string{"", "python", "python:", "sympy", "own "} {
		if _, err := ParseGrader(text); err == nil {
			t.Errorf("%q passed", text)
		}
	}
	g, err := ParseGrader("own")
	if err != nil {
		t.Fatal(err)
	}
	if a, err := g.OpenAlgebra(t.Context(), false); err != nil || a.Name() != "own" {
		t.Errorf("own: %v, %v", a, err)
	}
	path := filepath.Join(t.TempDir(), "python")
	if g, err = ParseGrader("python:" + path); err != nil {
		t.Fatal(err)
	}
	_, err = g.OpenAlgebra(t.Context(), true)
	if !errors.Is(err, sdk.ErrUsage) || !strings.Contains(err.Error(), `parameter grader = "python:`) {
		t.Errorf("no interpreter: %v", err)
	}
}

// TestNoSymPy: a Python without SymPy is refused, and so is what is no Python.
func TestNoSymPy(t *testing.T) {
	if _, err := Open(t.Context(), filepath.Join(t.TempDir(), "python"), true); err == nil {
		t.Error("no file passed")
	}
}

// TestNoExpressionChangesAnother asks a row of expressions, of which some do what they can to the process that is asked
// next, and to the one that all are forked off.
func TestNoExpressionChangesAnother(t *testing.T) {
	a := open(t)
	a.maxWallTime, a.limits.CPU = 20*time.Second, 4*time.Second
	const reach = "().__class__.__base__.__subclasses__()"
	evil := []string{
		"exit()", "print(1)", "__import__('os')._exit(0)", "__import__('os').kill(__import__('os').getppid(), 9)",
		"setattr(__import__('sympy').parsing.sympy_parser, 'parse_expr', lambda *a, **k: 0)",
		"setattr(__import__('builtins'), 'print', lambda *a, **k: 0)",
		"open('/proc/%d/fd/1' % __import__('os').getppid(), 'w').write('0\\n0\\n0\\n')",
		"__import__('os').write(1, b'0' + bytes([10]) + b'0' + bytes([10]))",
		"__import__('os').write(2, bytes(1000000))",
		"__import__('os').fork() * 0", "9**9**9**9", "[0]*10**12", reach, "\x00", "",
	}
	for _, e := range evil {
		if step, _, err := a.Vanishes(t.Context(), e); err != nil {
			t.Errorf("%q: %v, %v", e, step, err)
		}
		for expression, want := range map[string]mathgrade.Step{
			"(x)-(x)": mathgrade.AlgebraEqual, "(x)-(y)": mathgrade.AlgebraDiffers,
		} {
			if got, _, err := a.Vanishes(t.Context(), expression); got != want || err != nil {
				t.Errorf("after %q %s: %v, %v, want %v", e, expression, got, err, want)
			}
		}
	}
}

// TestPythonsEnd: one that is asked nothing ends, and one that was killed is replaced.
func TestPythonsEnd(t *testing.T) {
	a := open(t)
	a.idleTimeout = time.Millisecond
	for range 3 {
		s, err := a.startServer(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		a.servers.putIdle(s, a.idleTimeout)
		<-s.done
		if got, _, err := a.Vanishes(t.Context(), "(x)-(x)"); got != mathgrade.AlgebraEqual || err != nil {
			t.Errorf("%v, %v", got, err)
		}
	}
	a.idleTimeout = time.Hour
	s, err := a.startServer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.cancel()
	<-s.done
	a.servers.putIdle(s, a.idleTimeout)
	if got, _, err := a.Vanishes(t.Context(), "(x)-(x)"); got != mathgrade.AlgebraEqual || err != nil {
		t.Errorf("after its end: %v, %v", got, err)
	}
	for s := a.servers.takeIdle(); s != nil; s = a.servers.takeIdle() {
		if err := s.closeServer(); err != nil {
			t.Error(err)
		}
	}
}

// BenchmarkVanishes asks one expression after the other: of a Python that waits, and of a new one each time.
func BenchmarkVanishes(b *testing.B) {
	a, err := Open(b.Context(), cmp.Or(os.Getenv("PLUMBLINE_SYMPY"), "python3"), false)
	if err != nil {
		b.Skip(err)
	}
	for _, again := range []bool{true, false} {
		b.Run(fmt.Sprintf("again=%v", again), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				step, _, err := a.Vanishes(b.Context(), "(sqrt(8))-(2sqrt(2))")
				if step != mathgrade.AlgebraEqual || err != nil {
					b.Fatal(step, err)
				}
				if s := a.servers.takeIdle(); again {
					a.servers.putIdle(s, a.idleTimeout)
				} else if err := s.closeServer(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
