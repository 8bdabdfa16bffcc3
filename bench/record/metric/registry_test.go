package metric

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
)

// figures returns the figures of runs and of servers, each once.
func figures() []Info {
	return append(Figures(), slices.DeleteFunc(ServingFigures(), func(i Info) bool {
		return i.Name == TokensPerSecond.Name
	})...)
}

// distributions returns the distributions of runs and of servers, each once.
func distributions() []Times {
	return append(Distributions(), slices.DeleteFunc(ServingDistributions(), func(t Times) bool {
		return t.Key == TTFT.Key || t.Key == TPOT.Key
	})...)
}

// TestRowsAreWhole checks that each figure has a description and that no name or title has two meanings.
func TestRowsAreWhole(t *testing.T) {
	all := figures()
	for _, d := range distributions() {
		if d.Key == "" || d.Title == "" || d.Short == "" || d.About == "" || !strings.HasPrefix(d.Signal, "plumbline.") ||
			d.Prefix != "" && !strings.HasSuffix(d.Prefix, ".") || strings.HasSuffix(d.About, ".") {
			t.Errorf("the distribution %+v is not whole", d)
		}
		all = append(all, d.Mean(), d.Min(), d.Max(), d.At(0.5), d.At(0.999))
	}
	titles, names := map[string]string{}, map[string]bool{}
	for _, i := range all {
		if i.Name == "" || i.Title == "" || i.About == "" || strings.HasSuffix(i.About, ".") ||
			i.Better == "" && i.Name != Result.Name {
			t.Errorf("%+v is not whole", i)
		}
		if titles[i.Title] != "" {
			t.Errorf("%s and %s are both called %q", titles[i.Title], i.Name, i.Title)
		}
		if titles[i.Title] = i.Name; names[i.Name] && i.Name != SamplesPerSecond.Name &&
			i.Name != TokensPerSecond.Name {
			t.Errorf("two figures are called %s", i.Name)
		}
		names[i.Name] = true
	}
}

// TestRowsAreDocumented checks that docs/compare.md contains every name that a condition can use.
func TestRowsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../../docs/compare.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range figures() {
		if !strings.Contains(string(page), "`"+i.Name+"`") {
			t.Errorf("docs/compare.md lacks %s: %s", i.Name, i.About)
		}
	}
	for _, d := range distributions() {
		if !strings.Contains(string(page), "`"+d.At(0.99).Name+"`") {
			t.Errorf("docs/compare.md lacks %s: %s", d.At(0.99).Name, d.About)
		}
	}
}

func TestResultOf(t *testing.T) {
	if i := ResultOf("99th percentile latency", Millis); i.Better != sdk.LowerBetter || i.Name != "result" {
		t.Errorf("%+v", i)
	}
	if i := ResultOf("samples per second", "samples/s"); i.Better != sdk.HigherBetter || i.Unit != "samples/s" {
		t.Errorf("%+v", i)
	}
}
