package entropy

import (
	"encoding/hex"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// expected contains the output of the official script.
type expected struct {
	Exit  int
	Lines []string
	Ties  *struct {
		Stable  float64 `json:"stable_gauc"`
		Lowest  float64
		Highest float64
	} `json:"unstable_ties"`
}

// line returns the number after a name.
func (e expected) line(t *testing.T, name string) float64 {
	t.Helper()
	for _, l := range e.Lines {
		if text, ok := strings.CutPrefix(l, "metric/"+name+"/rating: "); ok {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	t.Fatalf("no %s in %q", name, e.Lines)
	return 0
}

func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*math.Abs(want) || got == want || got != got && want != want
}

func TestGoldenLogs(t *testing.T) {
	golden.Each(t, "dlrm-v3/accuracy/*.expected.json", func(t *testing.T, path string) {
		var want expected
		golden.ReadJSON(t, path, &want)
		var log []struct{ Data string }
		golden.ReadJSON(t, strings.TrimSuffix(path, ".expected.json")+".json", &log)
		s, err := scored(log)
		if (err != nil) != (want.Exit != 0) {
			t.Fatalf("%v, want exit code %d", err, want.Exit)
		}
		if err != nil {
			return
		}
		got := s.Result()
		if v := want.line(t, "lifetime_ne"); !near(got.Entropy, v, 2e-6) {
			t.Errorf("normalized entropy %v, want %v", got.Entropy, v)
		}
		if v := want.line(t, "lifetime_accuracy"); !near(got.Accuracy, v, 2e-6) {
			t.Errorf("accuracy %v, want %v", got.Accuracy, v)
		}
		if v := want.line(t, "lifetime_gauc_num_samples"); float64(got.Grouped) != v {
			t.Errorf("%d requests have an area, want %v", got.Grouped, v)
		}
		gauc := want.line(t, "lifetime_gauc")
		if want.Ties != nil {
			gauc = want.Ties.Stable
			if !near(got.MinGAUC, want.Ties.Lowest, 1e-5) || !near(got.MaxGAUC, want.Ties.Highest, 1e-5) {
				t.Errorf("GAUC from %v to %v, want %+v", got.MinGAUC, got.MaxGAUC, *want.Ties)
			}
		}
		if !near(got.GAUC, gauc, 1e-5) {
			t.Errorf("GAUC %v, want %v", got.GAUC, gauc)
		}
		if name := filepath.Base(path); want.Ties != nil && got.Odd.Ties == 0 {
			t.Errorf("%s: no ties are counted", name)
		}
	})
}

func scored(log []struct{ Data string }) (*RequestScorer, error) {
	s := &RequestScorer{}
	for _, e := range log {
		payload, err := hex.DecodeString(e.Data)
		if err == nil {
			err = s.Add(payload)
		}
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}
