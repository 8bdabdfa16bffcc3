package bfcl

import (
	"errors"
	"strings"
	"testing"
)

func FuzzExtract(f *testing.F) {
	for _, text := range []string{
		`[{"function":{"name":"f","arguments":"{\"a\":1}"}}]`, `[{"name":"f"}]`, `f(a=[1, (2,), {"k": -1.5}], b="x" 'y')`,
		`g(a=lambda x, *b: x if y else [z for z in w if z], c=d[1:2, ::3].e(f=1, *g, **h))`, `f(a=0x_1f, b=1_0e-3, c=rb"\x")`,
		"f(a={1, 2}) (b(c=not d in e is not g)", `f(a=f"{x}", b=u"é", c=...)`, "f(\n# b\na=1)",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		calls, source, err := ExtractCalls(text)
		if (source == NoCalls) != (len(calls) == 0) || err != nil && !errors.Is(err, ErrStops) {
			t.Errorf("%q: %v, %v, %v", text, calls, source, err)
		}
		asList(calls)
	})
}

func FuzzLiterals(f *testing.F) {
	for _, text := range []string{
		`new HashMap<String, Object>() {{ put("a", 1L); put("b", "c"); }}`, `new ArrayList<>(Arrays.asList(1, "a"))`,
		`new int[] {1, 2}`, `{a: "1", "b": [1, {c: 2}], d: {e: true}}`, `[[1, 2], [3]]`, `new Array(1, 'b')`, "-5n", "1.5f",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, l := range []typeRules{javaRules, scriptRules} {
			for of := range l.kinds {
				if _, err := l.parse(text, of, "integer"); err != nil && !errors.Is(err, ErrStops) {
					t.Errorf("%s of %q: %v", of, text, err)
				}
			}
		}
	})
}

// TestDeepText checks that an answer with endless nesting ends parsing at once.
func TestDeepText(t *testing.T) {
	for _, text := range []string{
		"f(a=" + strings.Repeat("[", 1000000), "f(a=" + strings.Repeat("(", 100000) + strings.Repeat(")", 100001),
		"f(a=" + strings.Repeat("-", 1000000) + "1)", "f(a=" + strings.Repeat("not ", 100000) + "b)",
		"f(a=" + strings.Repeat("lambda:", 100000) + "b)", "f(a=" + strings.Repeat("b**", 100000) + "b)",
		"f(a=" + strings.Repeat("b+", 1000000) + "b)", "f(a=" + strings.Repeat("b<", 100000) + "b)",
		strings.Repeat("[", 1000000), strings.Repeat("f(", 5000), "f(a=" + strings.Repeat("{", 1000000) + ")",
	} {
		if calls, _, err := ExtractCalls(text); err != nil {
			t.Errorf("%.30q: %v, %v", text, calls, err)
		}
	}
}

func TestSamplesOfOtherData(t *testing.T) {
	if _, err := ParseSample("multiple", "[", "[]"); err == nil || !strings.Contains(err.Error(), "func_description") {
		t.Error(err)
	}
	const call = `[{"function":{"name":"f","arguments":"{}"}}]`
	for _, answers := range []string{`{"f":{}}`, "5", `["f"]`, "[{}]", `[{"f":5}]`} {
		for _, subset := range []string{"simple_python", "multiple", "parallel"} {
			s, err := ParseSample(subset, `[{"name":"f","parameters":{"properties":{},"required":[]}}]`, answers)
			if err != nil {
				t.Fatal(err)
			}
			if g := s.Score(call); g.Right || !errors.Is(g.Stops, ErrStops) || g.Reason == "" {
				t.Errorf("%s, %s: %+v", subset, answers, g)
			}
		}
	}
}

func TestNothingAnswered(t *testing.T) {
	var totals GradeTotals
	totals.AddMissing("multiple")
	if s := totals.Scores(); s.Overall != 0 || s.Issued != 1 || s.Completed != 0 || len(s.Categories) != 0 {
		t.Errorf("%+v", s)
	}
}

func BenchmarkScore(b *testing.B) {
	s, err := ParseSample("parallel", `[{"name":"a.f","parameters":{"properties":{"p":{"type":"string"},"q":{"type":`+
		`"array","items":{"type":"integer"}}},"required":["p"]}}]`, `[{"a.f":{"p":["New York","NYC"],"q":[[1,2],""]}}]`)
	if err != nil {
		b.Fatal(err)
	}
	const answer = `[{"type":"function","function":{"name":"a_f","arguments":"{\"p\":\"new york\",\"q\":[1,2]}"}}]`
	b.ReportAllocs()
	for b.Loop() {
		if g := s.Score(answer); !g.Right {
			b.Fatal(g.Reason)
		}
	}
}
