package dlrm3

import (
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/datasets/streaming"
	"github.com/plumbline-ml/plumbline/internal/synthetic/preferences"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// drawnRequests is the number of requests in the embedded data set.
const drawnRequests = 221

// streamSource selects the requests of the run and determines how they are read.
type streamSource struct {
	*manifest.Request
	Stream  streaming.RequestOptions
	Check   bool        `param:"check" choices:"indexes,all"` // check all requests before the run
	Share   float64     `param:"percentage" min:"0" max:"1"`
	Seed    int64       `param:"seed" min:"int" max:"int"`
	Queries int         `param:"queries" min:"0" max:"int32"`
	Tables  string      `param:"tables"` // folder of tables that are separate from the model, or "inside"
	History historyMode `param:"history" choices:"whole,shuffled,none"`
}

// historyMode determines the part of the history that the model receives.
type historyMode int

const (
	wholeHistory    historyMode = iota
	shuffledHistory             // drawn separately for each request
	hiddenHistory
)

// readSource reads the parameters.
func readSource(r *manifest.Request) streamSource {
	s := streamSource{Request: r}
	r.Bind(&s)
	return s
}

// dataFolder is the name of the folder with the data set's files. The reference receives its parent folder as an
// argument.
const dataFolder = "sampled_data"

// openSet opens the user's data set or the embedded one. If parameters are invalid, it returns nil.
func (s streamSource) openSet() (*streaming.RequestSet, error) {
	if s.Params.Err() != nil {
		return nil, nil
	}
	if s.Dataset == "" {
		set, err := streaming.OpenFiles(preferences.Eval().Files(), s.Stream)
		return set, sdk.Usage(err) // the parameters are wrong
	}
	dir := s.Dataset
	if below := filepath.Join(dir, dataFolder); isFolder(below) {
		dir = below
	}
	set, err := streaming.Open(dir, s.Stream)
	return set, sdk.Data(err)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// orderRequests orders the requests of the run. In an accuracy run, each request is sent once.
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
