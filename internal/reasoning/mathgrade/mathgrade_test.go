package mathgrade

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

func grade(t testing.TB, given, truth string) GradeVerdict {
	t.Helper()
	v, err := Grade(t.Context(), given, truth, OwnAlgebra{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestGrade(t *testing.T) {
	for _, x := range []struct {
		given, truth string
		equal        bool
		step         Step
	}{
		{"", "1", false, Missing},
		{"1", "", false, Missing},
		{`\tfrac12`, `\frac{1}{2}`, true, FirstForm},
		{"x=5", "5", true, FirstForm},
		{`5\text{ cm}`, "5", true, FirstForm},
		{"5 meters^2", "5", true, SecondForm},
		{"1,234", "1234", true, SecondForm},
		{"12345678901234567890", "12345678901234567891", true, SecondForm},
		{`\sqrt[3]{2}`, `\sqrt{2}`, true, SecondForm},
		{"kilometers", "kilo", true, SecondForm},
		{"meters", "5", false, Vanished},
		{"(1,2]", "(1,2)", false, Brackets},
		{"(1,2,3)", "(1,2)", false, Count},
		{"2/4", "1/2", false, FractionText},
		{"(1/2,3/4)", "(1/2, 3/4)", true, FirstForm},
		{"2^10", "1024", false, IntegerText},
		{"sin(x)", "x^y", false, Refused},
		{"x^12", "y", false, Refused},
		{"½", "1/2", false, Unreadable},
		{"2**2**2**2**2**2", "x", false, Bounded},
		{"9**9**9", "0.5", false, Bounded},
		{"9999999!", "0.5", false, Bounded},
		{"(1/2, x + y)", "(0.5, y+x)", true, AlgebraEqual},
		{"sqrt(2)+sqrt(3)", "sqrt(5+2sqrt(6))", true, AlgebraEqual},
		{"sqrt(x^2)", "x", false, AlgebraDiffers},
		{"x/0", "x", false, AlgebraDiffers},
	} {
		if v := grade(t, x.given, x.truth); v.Equal != x.equal || v.Step != x.step {
			t.Errorf("%q and %q: %v by %v, want %v by %v", x.given, x.truth, v.Equal, v.Step, x.equal, x.step)
		}
	}
}

// TestOwn compares with verdicts of SymPy 1.14, with expressions parsed as in the official grader.
func TestOwn(t *testing.T) {
	for expression, want := range map[string]Step{
		"(0.1+0.2)-(0.3)":                  AlgebraDiffers, // floats of 53 bits
		"(0.3333333333333333)-(1/3)":       AlgebraDiffers, // 16 digits have more bits
		"(0.333333333333333333333)-(1/3)":  AlgebraDiffers,
		"(0.1x)-(x/10)":                    AlgebraEqual,
		"(sqrt(0.25))-(0.5)":               AlgebraEqual,
		"(7/0.7)-(10)":                     AlgebraEqual,
		"(1.1^2)-(1.21)":                   AlgebraDiffers,
		"(2^0.5)-(sqrt(2.0))":              AlgebraEqual,
		"(0.5pi)-(pi/2)":                   AlgebraEqual,
		"(yx)-(xy)":                        AlgebraEqual,
		"(x2)-(2x)":                        AlgebraEqual,
		"(2x^2)-(x*2*x)":                   AlgebraEqual,
		"(1/2x)-(x/2)":                     AlgebraEqual,
		"(x(x+1))-(x^2+x)":                 AlgebraEqual,
		"(3!)-(6)":                         AlgebraEqual,
		"(2!3)-(6)":                        AlgebraEqual,
		"(-2^2)-(-4)":                      AlgebraEqual,
		"(2^-1)-(0.5)":                     AlgebraEqual,
		"(8^(1/3))-(2)":                    AlgebraEqual,
		"(ln(4))-(2ln(2))":                 AlgebraEqual,
		"(sqrt(x)sqrt(x))-(x)":             AlgebraEqual,
		"(sqrt(xy))-(sqrt(x)sqrt(y))":      AlgebraDiffers,
		"(ln(x^2))-(2ln(x))":               AlgebraDiffers,
		"(sqrt(-1)sqrt(-1))-(-1)":          AlgebraEqual,
		"(i^2)-(-1)":                       AlgebraDiffers, // i is a letter
		"(x^x)-(x^x*1)":                    AlgebraEqual,
		"((x^2-1)/(x-1))-(x+1)":            AlgebraEqual,
		"(1/0)-(1/0)":                      AlgebraDiffers,
		"(1/(x-x))-(1)":                    AlgebraDiffers,
		"(5e3)-(5000)":                     AlgebraEqual,
		"(a_1)-(a_1)":                      AlgebraEqual,
		"(mu)-(um)":                        AlgebraDiffers, // mu is one letter
		"(pi)-(22/7)":                      AlgebraDiffers,
		"(x)-(y":                           Unreadable,
		"(1,2)-(2,1)":                      Unreadable,
		"(sqrt)-(2)":                       Unreadable,
		"(x=1)-(x=2)":                      Unreadable,
		"(|x|)-(|-x|)":                     Unreadable,
		"(x!)-(2)":                         Unreadable,
		"(in)-(ni)":                        Unreadable,
		"":                                 Unreadable,
		"(1e99999)-(1)":                    Bounded,
		"(4_9)-(49)":                       AlgebraEqual,
		"(0.1_5)-(0.15)":                   AlgebraEqual,
		"(1_)-(1)":                         AlgebraDiffers, // 1_ is a name
		"(4^-sqrt(12105))-(0*5.0)":         AlgebraDiffers, // small, but not 0
		"(sqrt(50)-sqrt(32))-(sqrt(2)+0x)": AlgebraEqual,
		"(x**99999)-(1)":                   Bounded,
		"(" + strings.Repeat("x^y+", 100) + "1)-(1)":       Bounded,
		"(" + strings.Repeat("1/(x+7y)*", 1800) + "x)-(1)": Bounded,
		"((x**9999)**9999)-(1)":                            Bounded,
		"(1001!)-(1)":                                      Bounded,
		"(2^(1/2)^(-9**9**9))-(1)":                         Bounded,
		"(" + strings.Repeat("(", 1e6) + ")-(1":            Bounded,
	} {
		if got, _, err := (OwnAlgebra{}).Vanishes(t.Context(), expression); got != want || err != nil {
			t.Errorf("%.60s: %v, %v, want %v", expression, got, err, want)
		}
	}
}

// TestText compares with pylatexenc 2.11 for spaces inside and outside of formulas, and for misplaced marks.
func TestText(t *testing.T) {
	for in, want := range map[string]string{
		`\alpha x`:                            "αx",
		`$\alpha x$`:                          "α x",
		`$\alpha {x}$`:                        "αx",
		`$\text{a} \text{b}$`:                 "ab",
		`\text{a} \text{b}`:                   "a b",
		`$a  $ b`:                             "a b",
		`\frac\alpha 2`:                       "α/2",
		`\textfrac12`:                         "%s/%s12",
		`\begin{pmatrix}1&2\\&4\end{pmatrix}`: "[ 1 2; 4 ]",
		`\begin{C(5,2)}`:                      `\beginC(5,2)`,
		`\sqrté1`:                             "1",
		"\\frac\n\n12":                        "/12",
		`\mathrm$$x`:                          "$$x",
		`\hat{x y}`:                           "x̂ ̂ŷ",
		`\begin{bmatrix}a}&\end{x}b\end{bmatrix}`: "[ a b ]",
		`\color\sqrt{x}`: "x",
	} {
		if got, ok := LatexText(in); got != want || !ok {
			t.Errorf("%q: %q, %v, want %q", in, got, ok, want)
		}
	}
	for _, in := range []string{`\sqrt`, `\frac\sqrt2 2`, `\begin{pmatrix}\end{pmatrix}`, `\begin{pmatrix}}`} {
		if got, ok := LatexText(in); ok {
			t.Errorf("%q: %q, want none", in, got)
		}
	}
}

// TestLong checks that texts beyond any parser's stack end at once.
func TestLong(t *testing.T) {
	const many = 20_000
	for _, text := range []string{
		strings.Repeat("{", 50*many), strings.Repeat(`\sqrt{`, many), strings.Repeat(`\frac`, many),
		strings.Repeat("-", many),
		strings.Repeat("1,111", many), strings.Repeat(`\begin{pmatrix}`, many), strings.Repeat("$", many),
		strings.Repeat("(", many), strings.Repeat("9", many), strings.Repeat(`\text{ `, many), strings.Repeat("2!", many),
		strings.Repeat(`\hat{`, many), strings.Repeat("^", many), strings.Repeat("x^2+", 4000) + "1",
		strings.Repeat(`\begin{a}`, many) + strings.Repeat(`\end{b}`, many),
	} {
		grade(t, text, "x")
		grade(t, "y", text)
	}
}

// TestReal compares with package math.
func TestReal(t *testing.T) {
	c := newRealField(200)
	check := func(name string, x float64, got *big.Float, err error, want float64) {
		t.Helper()
		if v, _ := got.Float64(); err != nil || math.Abs(v-want) > 1e-15*max(1, math.Abs(want)) {
			t.Errorf("%s of %v: %v, %v, want %v", name, x, v, err, want)
		}
	}
	for _, x := range []float64{1e-9, 0.3, 0.5, 1, 2, 3.7, 10, 700, 12345} {
		v := c.newFloat().SetFloat64(x)
		check("ln", x, c.ln(v), nil, math.Log(x))
		check("atan", x, c.atan(v), nil, math.Atan(x))
		for _, y := range []float64{x, -x} {
			sin, cos, err := c.sincos(c.newFloat().SetFloat64(y))
			check("sin", y, sin, err, math.Sin(y))
			check("cos", y, cos, err, math.Cos(y))
			if x <= 700 {
				e, err := c.exp(c.newFloat().SetFloat64(y))
				check("exp", y, e, err, math.Exp(y))
			}
			check("angle", y, c.angle(c.newFloat().SetFloat64(y), c.newInt(-1)), nil, math.Atan2(-1, y))
		}
	}
	// The first 60 digits of pi.
	const pi = "3.14159265358979323846264338327950288419716939937510582097494"
	if got := c.circlePi().Text('f', 59); got != pi {
		t.Errorf("pi is %s, want %s", got, pi)
	}
	e, err := c.exp(c.newInt(1))
	if l := c.ln(e); err != nil || l.Sub(l, c.newInt(1)).MantExp(nil) > -190 {
		t.Errorf("ln(e) - 1 = %v", l)
	}
	if _, err := c.exp(c.newFloat().SetMantExp(c.newInt(1), 30)); !errors.Is(err, errBounds) {
		t.Errorf("exp of 2^30: %v", err)
	}
}

func seed(f *testing.F) {
	for _, p := range golden.ReadLines[goldenPair](f, "testdata/golden/reasoning/math/pairs.jsonl.gz") {
		f.Add(p.Given, p.Truth)
	}
}

// FuzzGrade checks that a text equals itself, and that the forms of equal answers are equal in either order.
func FuzzGrade(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, given, truth string) {
		if len(given)+len(truth) > 2000 {
			t.Skip()
		}
		v := grade(t, given, truth)
		switch v.Step {
		case FirstForm, SecondForm, AlgebraEqual:
			if !v.Equal {
				t.Errorf("%q and %q: %+v", given, truth, v)
			}
		case FractionText:
		default:
			if v.Equal {
				t.Errorf("%q and %q: %+v", given, truth, v)
			}
		}
		if w := grade(t, truth, given); v.Step <= SecondForm && w.Step != v.Step {
			t.Errorf("%q and %q: %v, the other way round %v", given, truth, v, w)
		}
		if given != "" && !grade(t, given, given).Equal {
			t.Errorf("%q is not equal to itself", given)
		}
	})
}

// FuzzText checks that valid UTF-8 stays valid, and that text without LaTeX does not change.
func FuzzText(f *testing.F) {
	type line struct{ In string }
	for _, l := range golden.ReadLines[line](f, "testdata/golden/reasoning/math/latex.jsonl.gz") {
		f.Add(l.In)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, ok := LatexText(s)
		if ok && utf8.ValidString(s) && !utf8.ValidString(text) {
			t.Errorf("%q: %q cuts a character", s, text)
		}
		if strings.Contains(NormalizeFirst(s), "\x00") && !strings.Contains(s, "\x00") ||
			len(NormalizeSecond(s)) > 40*len(s)+40 {
			t.Errorf("%q: %q, %q", s, NormalizeFirst(s), NormalizeSecond(s))
		}
	})
}

// FuzzOwn checks that an expression minus itself is 0, if it has a value.
func FuzzOwn(f *testing.F) {
	for _, s := range []string{
		"x^2+2x", "sqrt(2)/3", "ln(x)y", "3!", "2^-x", "0.1+1e3", "pi(a+b)", "x^(1/3)", "(-8)^(1/3)", "x^x^x",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 200 {
			t.Skip()
		}
		a, _, err := (OwnAlgebra{}).Vanishes(t.Context(), "("+s+")-("+s+")")
		if err != nil || a < Unreadable {
			t.Errorf("%q: %v, %v", s, a, err)
		}
		if strings.ContainsAny(s, ".e") {
			return // one more may be within the rounding of a float
		}
		if b, _, _ := (OwnAlgebra{}).Vanishes(t.Context(), "("+s+")-(("+s+")+1)"); a == AlgebraEqual && b == AlgebraEqual {
			t.Errorf("%q equals itself and one more", s)
		}
	})
}

func BenchmarkGrade(b *testing.B) {
	pairs := golden.ReadLines[goldenPair](b, "testdata/golden/reasoning/math/pairs.jsonl.gz")
	perPair := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(pairs)), "ns/pair")
	}
	b.Run("Forms", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, p := range pairs {
				NormalizeFirst(p.Given)
				NormalizeFirst(p.Truth)
				NormalizeSecond(p.Given)
				NormalizeSecond(p.Truth)
			}
		}
		perPair(b)
	})
	b.Run("All", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, p := range pairs {
				grade(b, p.Given, p.Truth)
			}
		}
		perPair(b)
	})
}
