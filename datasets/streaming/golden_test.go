package streaming

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// expected is what the reference's data set gave.
type expected struct {
	Params struct {
		TrainTS       int   `json:"train_ts"`
		NumItems      int64 `json:"num_items"`
		NumCategories int   `json:"num_categories"`
		MaxSeqLen     int   `json:"max_seq_len"`
		MaxCandidates int   `json:"max_candidates"`
	}
	Periods []struct {
		TS       int
		Requests []int32
		Samples  []struct {
			Error          string
			User           int32
			IDs            []int32
			Weights        []int
			Categories     []int
			CandIDs        []int32 `json:"cand_ids"`
			Labels         []int
			CandCategories []int `json:"cand_categories"`
		}
		Error string
	}
}

func (e expected) options() RequestOptions {
	p := e.Params
	return RequestOptions{
		TrainPeriods: p.TrainTS, Items: p.NumItems, Categories: p.NumCategories,
		MaxSequence: p.MaxSeqLen, MaxCandidates: p.MaxCandidates, AnyID: true,
	}
}

func TestGoldenSamples(t *testing.T) {
	golden.Each(t, "dlrm-v3/data/*/expected.json", func(t *testing.T, path string) {
		var want expected
		golden.ReadJSON(t, path, &want)
		set, err := Open(filepath.Dir(path), want.options())
		if err != nil {
			for _, p := range want.Periods {
				if p.Error != "" && strings.Contains(err.Error(), "no requests") {
					return // the reference fails when it comes to the period
				}
			}
			t.Fatal(err)
		}
		defer func() { _ = set.Close() }()
		for p, period := range want.Periods {
			if period.TS != p+want.Params.TrainTS || !slices.Equal(set.Requests(p), period.Requests) {
				t.Fatalf("period %d: requests %v, want %v", period.TS, set.Requests(p), period.Requests)
			}
			for r, w := range period.Samples {
				got, err := set.ReadSample(p, r)
				if w.Error != "" {
					if err == nil {
						t.Errorf("period %d, request %d: no error, want one as %s", p, r, w.Error)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				same := got.User == w.User && slices.Equal(got.History.IDs, w.IDs) && slices.Equal(got.Candidates.IDs, w.CandIDs)
				if !same || !equal(got.Weights, w.Weights) || !equal(got.Labels, w.Labels) ||
					!equal(got.History.Categories, w.Categories) || !equal(got.Candidates.Categories, w.CandCategories) {
					t.Errorf("period %d, request %d: %+v, want %+v", p, r, got, w)
				}
			}
		}
	})
}

func equal[T uint8 | uint16](got []T, want []int) bool {
	return slices.EqualFunc(got, want, func(g T, w int) bool { return int(g) == w })
}
