package mathgrade

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// goldenPair is a pair of answers with the official grader's decision and step.
type goldenPair struct {
	ID            string
	Given, Truth  string
	Out           bool
	First, Second []string // forms of truth and given answer
	Step          string
	Element       int
}

func (p *goldenPair) UnmarshalJSON(data []byte) error {
	var file struct {
		ID, Given, Truth, Step string
		Out                    bool
		MathD, Normal          []string
		Element                int
	}
	err := json.Unmarshal(data, &file)
	*p = goldenPair{file.ID, file.Given, file.Truth, file.Out, file.MathD, file.Normal, file.Step, file.Element}
	return err
}

// officialSteps are the names of the golden steps.
var officialSteps = map[string]Step{
	"mathd_equal": FirstForm, "normal_equal": SecondForm, "given_empty": Vanished, "brackets": Brackets, "count": Count,
	"fraction_text": FractionText, "integer_text": IntegerText, "sympy_refused": Refused, "sympy_error": Unreadable,
	"sympy_zero": AlgebraEqual, "sympy_nonzero": AlgebraDiffers,
}

// scripted is an Algebra that returns the golden step.
type scripted Step

func (s scripted) Name() string { return "scripted" }

func (s scripted) Vanishes(context.Context, string) (Step, bool, error) { return Step(s), false, nil }

// TestVerbatimAndBrackets compares texts with \verb, and with brackets in optional arguments, with those of pylatexenc
// 2.11. null means an error there.
func TestVerbatimAndBrackets(t *testing.T) {
	var cases [][2]*string
	golden.ReadJSON(t, "testdata/verbatim.json", &cases)
	for _, c := range cases {
		got, ok := LatexText(*c[0])
		if want := c[1]; ok != (want != nil) || ok && got != *want {
			t.Errorf("%q: %q, %v; want %v", *c[0], got, ok, want)
		}
	}
}

// TestGoldenForms compares both normal forms, and all steps except algebra.
func TestGoldenForms(t *testing.T) {
	golden.Each(t, "reasoning/math/pairs.jsonl*", func(t *testing.T, path string) {
		for _, p := range golden.ReadLines[goldenPair](t, path) {
			for i, text := range []string{p.Truth, p.Given} {
				if got := NormalizeFirst(text); p.First != nil && got != p.First[i] {
					t.Errorf("%s: first form of %q: %q, want %q", p.ID, text, got, p.First[i])
				}
				if got := NormalizeSecond(text); p.Second != nil && got != p.Second[i] {
					t.Errorf("%s: second form of %q: %q, want %q", p.ID, text, got, p.Second[i])
				}
			}
			v, err := Grade(t.Context(), p.Given, p.Truth, scripted(officialSteps[p.Step]))
			if p.Given == "" || p.Truth == "" {
				continue
			}
			// The tuple's elements before the deciding one are equal.
			if err != nil || v.Step != officialSteps[p.Step] && p.Element == 0 {
				t.Errorf("%s: %q and %q: %v, %v, want %s", p.ID, p.Given, p.Truth, v, err, p.Step)
			}
		}
	})
}

func TestGoldenText(t *testing.T) {
	golden.Each(t, "reasoning/math/latex.jsonl*", func(t *testing.T, path string) {
		type line struct {
			In            string
			Text          any
			MathD, Normal string
		}
		for _, l := range golden.ReadLines[line](t, path) {
			text, ok := LatexText(l.In)
			if want, is := l.Text.(string); ok != is || text != want {
				t.Errorf("%q: %q, %v, want %q", l.In, text, ok, l.Text)
			}
			if got := NormalizeFirst(l.In); got != l.MathD {
				t.Errorf("first form of %q: %q, want %q", l.In, got, l.MathD)
			}
			if got := NormalizeSecond(l.In); got != l.Normal {
				t.Errorf("second form of %q: %q, want %q", l.In, got, l.Normal)
			}
		}
	})
}

// TestGoldenOwn checks that this package's algebra agrees with SymPy on at least 99 of 100 pairs that reach it.
func TestGoldenOwn(t *testing.T) {
	golden.Each(t, "reasoning/math/pairs.jsonl*", func(t *testing.T, path string) {
		reached, differ := 0, 0
		for _, p := range golden.ReadLines[goldenPair](t, path) {
			v, err := Grade(t.Context(), p.Given, p.Truth, OwnAlgebra{})
			if err != nil {
				t.Fatal(err)
			}
			want := officialSteps[p.Step]
			if want < Unreadable && p.Element == 0 {
				if p.Given != "" && p.Truth != "" && (v.Step != want || v.Equal != p.Out) {
					t.Errorf("%s: %q and %q: %v, %v, want %s, %v", p.ID, p.Given, p.Truth, v.Equal, v.Step, p.Step, p.Out)
				}
				continue
			}
			reached++
			if v.Step != want || v.Element != p.Element {
				t.Logf("%s: %q and %q: %v at %d, want %s at %d", p.ID, p.Given, p.Truth, v.Step, v.Element, p.Step, p.Element)
			}
			if v.Equal != p.Out {
				differ++
				t.Logf("%s: %q and %q: %v by %v, want %s", p.ID, p.Given, p.Truth, v.Equal, v.Step, p.Step)
			}
		}
		if reached == 0 || 100*differ > reached {
			t.Errorf("%d of %d pairs differ", differ, reached)
		}
		t.Logf("%d of %d pairs differ", differ, reached)
	})
}
