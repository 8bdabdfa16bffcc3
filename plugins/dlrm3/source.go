package dlrm3

import (
	"math"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/datasets/streaming"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/preferences"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// drawnRequests is how many requests the embedded data set has.
const drawnRequests = 221

// source says which requests run, and how they are read.
type source struct {
	*manifest.Request
	stream  streaming.Options
	check   bool // all requests before the run
	share   float64
	seed    int64
	queries int
	history history
	tables  string // folder of tables beside the model, or inside
}

// history is what a model gets to see of it.
type history int

const (
	whole    history = iota
	shuffled         // by a draw of its own for each request
	hidden
)

// readSource reads the parameters.
func readSource(r *manifest.Request) source {
	p := r.Params
	return source{
		Request: r,
		stream: streaming.Options{
			TrainPeriods: p.Int("train_periods", 0, math.MaxInt32), Items: int64(p.Int("items", 1, math.MaxInt32)),
			Categories: p.Int("categories", 1, math.MaxUint16), MaxSequence: p.Int("max_sequence", 1, math.MaxInt32),
			MaxCandidates: p.Int("max_candidates", 1, math.MaxInt32),
			ExactIDs:      option.Pick(p, "ids", map[string]bool{"rounded": false, "exact": true}),
		},
		check: option.Pick(p, "check", map[string]bool{"indexes": false, "all": true}),
		share: p.Float("percentage", 0, 1), seed: int64(p.Int("seed", math.MinInt, math.MaxInt)),
		queries: p.Int("queries", 0, math.MaxInt32),
		tables:  p.Text("tables"),
		history: option.Pick(p, "history", map[string]history{"whole": whole, "shuffled": shuffled, "none": hidden}),
	}
}

// folder is that of the data set's files in the folder above it that the reference is told.
const folder = "sampled_data"

// open opens the data set: the user's, or the embedded one; nil where parameters do not say how.
func (s source) open() (*streaming.Set, error) {
	if s.Params.Err() != nil {
		return nil, nil
	}
	if s.Dataset == "" {
		set, err := streaming.OpenFiles(preferences.Eval().Files(), s.stream)
		return set, sdk.Usage(err) // of the parameters, then
	}
	dir := s.Dataset
	if below := filepath.Join(dir, folder); isFolder(below) {
		dir = below
	}
	set, err := streaming.Open(dir, s.stream)
	return set, sdk.Data(err)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// order is that of the requests that run. All are asked once for accuracy.
func (s source) order(set *streaming.Set, use string) (order, error) {
	requests := make([]int, set.Periods())
	for p := range requests {
		requests[p] = len(set.Requests(p))
	}
	o, err := newOrder(requests, s.share, s.seed)
	if err != nil {
		return o, sdk.Usage(err)
	}
	o.first(s.First(len(o.places), "requests"))
	if use != sdk.UseAccuracy {
		o.ask(s.queries)
	}
	return o, s.Err()
}
