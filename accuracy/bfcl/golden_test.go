package bfcl

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

func eachGolden[T any](t *testing.T, name string, check func(t *testing.T, c T)) {
	t.Helper()
	golden.Each(t, "agentic/bfcl/"+name, func(t *testing.T, path string) {
		for _, c := range golden.ReadLines[T](t, path) {
			check(t, c)
		}
	})
}

// asList returns calls in the form of the official extractor.
func asList(calls []FunctionCall) string {
	list := []any{}
	for _, c := range calls {
		d := pyvalue.NewDict()
		d.Set("name", c.Name)
		d.Set("arguments", c.Arguments)
		list = append(list, d)
	}
	return pyvalue.JSON(list)
}

func TestGoldenExtract(t *testing.T) {
	type testCase struct {
		Text      json.RawMessage
		Extracted string
		Native    bool
		Exception string
	}
	eachGolden(t, "extract.jsonl", func(t *testing.T, c testCase) {
		v, err := pyvalue.Decode(string(c.Text))
		if err != nil {
			t.Fatal(err)
		}
		calls, source, err := ExtractCalls(v.(string))
		if errors.Is(err, ErrStops) != (c.Exception != "") {
			t.Errorf("%q: %v, want %q", v, err, c.Exception)
		}
		if got := asList(calls); err == nil && (got != c.Extracted || (source == NativeCalls) != c.Native) {
			t.Errorf("%q: %s, %v; want %s, %v", v, got, source, c.Extracted, c.Native)
		}
	})
}

func TestGoldenLiterals(t *testing.T) {
	type testCase struct {
		Lang, Value  string
		ExpectedType string  `json:"expected_type"`
		NestedType   *string `json:"nested_type"`
		Repr         string
		Exception    string
	}
	eachGolden(t, "literals.jsonl", func(t *testing.T, c testCase) {
		l := javaRules
		if c.Lang == "js" {
			l = scriptRules
		}
		items := ""
		if c.NestedType != nil {
			items = *c.NestedType
		}
		got, err := l.parse(c.Value, c.ExpectedType, items)
		if (err != nil) != (c.Exception != "") {
			t.Errorf("%s %s of %s: %v, want %q", c.Lang, c.ExpectedType, c.Value, err, c.Exception)
		}
		if err == nil && pyvalue.Repr(got) != c.Repr {
			t.Errorf("%s %s of %q (%s): %s, want %s", c.Lang, c.ExpectedType, c.Value, items, pyvalue.Repr(got), c.Repr)
		}
	})
}

func TestGoldenGrades(t *testing.T) {
	type testCase struct {
		Name, Subset string
		Functions    json.RawMessage `json:"func_description"`
		Answers      json.RawMessage `json:"ground_truth"`
		Output       json.RawMessage
		Score        *float64
		Exception    string
	}
	eachGolden(t, "checker.jsonl", func(t *testing.T, c testCase) {
		s, err := ParseSample(c.Subset, string(c.Functions), string(c.Answers))
		if err != nil {
			t.Fatal(err)
		}
		output, err := pyvalue.Decode(string(c.Output))
		if err != nil {
			t.Fatal(err)
		}
		got := s.Score(output.(string))
		if (got.Stops != nil) != (c.Exception != "") {
			t.Errorf("%s (%s): stops by %v, want %q; %s", c.Name, c.Subset, got.Stops, c.Exception, c.Output)
		}
		if want := c.Score != nil && *c.Score == 1; got.Right != want {
			t.Errorf("%s (%s): %+v, want %v; %s of %s", c.Name, c.Subset, got, want, c.Output, c.Answers)
		}
	})
}

func TestGoldenTotals(t *testing.T) {
	type testCase struct {
		Name      string
		Subsets   []string
		Plan      [][2]any
		Score     float64
		Breakdown struct {
			Overall    float64            `json:"overall_accuracy"`
			Normalized float64            `json:"normalized_single_turn_score"`
			Categories map[string]float64 `json:"category_scores"`
			Subsets    map[string]float64 `json:"subset_scores"`
			Total      int                `json:"total_samples"`
			Issued     int                `json:"issued_samples"`
		}
	}
	golden.Each(t, "agentic/bfcl/totals.jsonl", func(t *testing.T, path string) {
		official := officialSubsets(t, filepath.Join(filepath.Dir(path), "ids.txt"))
		for _, c := range golden.ReadLines[testCase](t, path) {
			var totals GradeTotals
			for _, p := range c.Plan {
				subsets := c.Subsets
				if subsets == nil {
					subsets = official
				}
				addPlanned(&totals, subsets[int(p[0].(float64))], p[1])
			}
			got, want := totals.Scores(), c.Breakdown
			if got.Overall != c.Score || percent(got.Overall) != want.Overall || percent(got.Normalized) != want.Normalized ||
				got.Completed != want.Total || got.Issued != want.Issued {
				t.Errorf("%s: %+v, want %v, %+v", c.Name, got, c.Score, want)
			}
			if len(got.Categories) != len(want.Categories) || len(got.Subsets) != len(want.Subsets) {
				t.Errorf("%s: %+v, want %+v", c.Name, got, want)
			}
			for name, v := range want.Categories {
				if percent(got.Categories[name]) != v {
					t.Errorf("%s: %s %v, want %v", c.Name, name, got.Categories[name], v)
				}
			}
			for name, v := range want.Subsets {
				if percent(got.Subsets[name].Accuracy()) != v {
					t.Errorf("%s: %s %v, want %v", c.Name, name, got.Subsets[name], v)
				}
			}
		}
	})
}

func percent(v float64) float64 {
	if math.IsNaN(v) {
		return v
	}
	return pyfloat.Round(100*v, 2)
}

// addPlanned adds the answers that a case plans for a sample: wrong, right, not answered, completed without data, or
// answered twice, first wrong and then right.
func addPlanned(totals *GradeTotals, subset string, outcome any) {
	switch outcome {
	case nil:
		totals.AddMissing(subset)
	case "null":
		totals.Add(subset, GradingSample{Subset: subset, Functions: []any{}, Answers: []any{int64(1)}}.Score("").Right)
	case "dup":
		totals.Add(subset, false)
	default:
		totals.Add(subset, outcome == 1.0)
	}
}

// officialSubsets contains the subsets of the 995 samples.
func officialSubsets(t *testing.T, path string) (all []string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	number := regexp.MustCompile(`_[0-9-]+$`)
	for id := range strings.FieldsSeq(string(data)) {
		all = append(all, number.ReplaceAllString(id, ""))
	}
	return all
}
