package dlrm3

import (
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/datasets/streaming"
	"github.com/plumbline-ml/plumbline/internal/synthetic/preferences"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// drawnRequests is how many requests the embedded data set has.
const drawnRequests = 221

// streamSource says which requests run, and how they are read.
type streamSource struct {
	*manifest.Request
	Stream  streaming.RequestOptions
	Check   bool        `param:"check" choices:"indexes,all"` // all requests before the run
	Share   float64     `param:"percentage" min:"0" max:"1"`
	Seed    int64       `param:"seed" min:"int" max:"int"`
	Queries int         `param:"queries" min:"0" max:"int32"`
	Tables  string      `param:"tables"` // folder of tables beside the model, or inside
	History historyMode `param:"history" choices:"whole,shuffled,none"`
}

// historyMode is what a model gets to see of the history.
type historyMode int

const (
	whole    historyMode = iota
	shuffled             // by a draw of its own for each request
	hidden
)

// readSource reads the parameters.
func readSource(r *manifest.Request) streamSource {
	s := streamSource{Request: r}
	r.Bind(&s)
	return s
}

// folder is that of the data set's files in the folder above it that the reference is told.
const folder = "sampled_data"

// openSet opens the data set: the user's, or the embedded one; nil where parameters do not say how.
func (s streamSource) openSet() (*streaming.RequestSet, error) {
	if s.Params.Err() != nil {
		return nil, nil
	}
	if s.Dataset == "" {
		set, err := streaming.OpenFiles(preferences.Eval().Files(), s.Stream)
		return set, sdk.Usage(err) // of the parameters, then
	}
	dir := s.Dataset
	if below := filepath.Join(dir, folder); isFolder(below) {
		dir = below
	}
	set, err := streaming.Open(dir, s.Stream)
	return set, sdk.Data(err)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// orderRequests orders the requests that run. All are asked once for accuracy.
func (s streamSource) orderRequests(set *streaming.RequestSet, use string) (requestOrder, error) {
	requests := make([]int, set.Periods())
	for p := range requests {
		requests[p] = len(set.Requests(p))
	}
	o, err := newOrder(requests, s.Share, s.Seed)
	if err != nil {
		return o, sdk.Usage(err)
	}
	o.keepFirst(s.SampleCount(len(o.requests), "requests"))
	if use != sdk.UseAccuracy {
		o.repeatFor(s.Queries)
	}
	return o, s.Err()
}
