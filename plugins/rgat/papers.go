package rgat

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/plumbline-ml/plumbline/datasets/graph"
	"github.com/plumbline-ml/plumbline/datasets/igbh"
	"github.com/plumbline-ml/plumbline/internal/synthetic/citations"
	"github.com/plumbline-ml/plumbline/plugins/rgat/internal/remote"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// paperSet is a data set, generated or read: the papers that are samples, in order, and their graph. For scoring, there
// is no graph.
type paperSet struct {
	ids      []uint32
	labels   []int
	graph    *graph.Graph
	features graph.FeatureStore
	remote   bool // features are on servers
	close    func() error
}

// openPapers opens the papers of a run. Its fault lists every error in the data set.
func openPapers(ctx context.Context, r *manifest.Request) *paperSet {
	p := new(paperSet)
	var err error
	if r.Dataset == "" {
		err = p.generateGraph(ctx, r)
	} else {
		err = sdk.Data(p.readFiles(ctx, r))
	}
	if err != nil {
		r.AddFault(err)
		return p
	}
	n := r.SampleCount(len(p.ids), "papers")
	p.ids, p.labels = p.ids[:n], p.labels[:n]
	return p
}

// generateGraph generates the embedded graph.
func (p *paperSet) generateGraph(ctx context.Context, r *manifest.Request) (err error) {
	if r.GivenValue("features") != "" {
		return sdk.Usage(errors.New("parameter features needs a data set of files: the embedded one draws its features"))
	}
	set := citations.All()
	_, p.ids = set.Split()
	p.labels = make([]int, len(p.ids))
	for i, id := range p.ids {
		p.labels[i] = set.Label(int(id))
	}
	if !r.Scoring {
		p.features = set.Store()
		p.graph, err = set.Graph(ctx)
	}
	return err
}

// fileSource contains the parameters of a data set in files.
type fileSource struct {
	Size     string `param:"size"`
	Graph    string `param:"graph"`    // path of the graph's cache file; "none": build the graph for each run
	Features string `param:"features"` // folder of the file with the servers' addresses
}

// readFiles opens a data set in files.
func (p *paperSet) readFiles(ctx context.Context, r *manifest.Request) error {
	var s fileSource
	r.Bind(&s)
	o := igbh.GraphOptions{Size: s.Size, LabelsOnly: r.Scoring, CachePath: s.Graph}
	if o.CachePath == "none" {
		o.CachePath, o.NoCache = "", true
	}
	closeStore := func() error { return nil }
	if s.Features != "" && !r.Scoring {
		store, err := remote.Open(ctx, s.Features)
		if err != nil {
			return err
		}
		o.Features, closeStore = store, store.Close
	}
	set, err := igbh.Open(ctx, r.Dataset, o)
	if err != nil {
		return errors.Join(err, closeStore())
	}
	if err := set.SaveError(); err != nil {
		fmt.Fprintf(os.Stderr, "the graph is made for each run, it cannot be kept (--param graph=FILE elsewhere): %v\n", err)
	}
	*p = paperSet{set.Papers(), set.Labels(), set.Graph(), set.Features(), o.Features != nil, func() error {
		return errors.Join(set.Close(), closeStore())
	}}
	return nil
}

// Close closes the files.
func (p *paperSet) Close() error {
	if p.close == nil {
		return nil
	}
	return p.close()
}
