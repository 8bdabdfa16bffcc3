package igbh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/graph"
	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
)

// ErrDataset is wrapped by every error of this package. It means that a data set is missing or invalid.
var ErrDataset = errors.New("graph data set")

// FaultError contains all faults of a data set; errors.As finds it.
type FaultError = fault.DatasetError

// cacheName is the default name of the graph's cache file, in the folder of the data.
const cacheName = "graph.plumbline"

// GraphOptions selects the data to open. The zero value is for a folder with one size.
type GraphOptions struct {
	// Size is one of SizeNames. Empty: the only size in the folder.
	Size string
	// LabelsOnly opens only papers and labels, which are enough to score a finished run.
	LabelsOnly bool
	// CachePath is the path of the graph's cache file. Empty: a file in the folder of the data. NoCache disables the
	// cache.
	CachePath string
	NoCache   bool
	// Features, if not nil, contains the features of the nodes, for the types of IGBH in order. The files of features are
	// then not opened and may be missing. The caller must close Features after the set.
	Features graph.FeatureStore
}

// PaperSet is a data set whose files have passed their checks. It may be used from many goroutines.
type PaperSet struct {
	papers   []uint32
	labels   []int
	graph    *graph.Graph
	features graph.FeatureStore
	files    *FeatureFiles // the features that the set opened itself
	saveErr  error
}

// Open checks the files of DIR/SIZE/processed, reads papers and labels, and loads the graph from its cache file or
// builds and saves it. The error is a [*FaultError] that lists every fault and wraps ErrDataset, or ctx's error. The
// caller must close the set.
func Open(ctx context.Context, dir string, o GraphOptions) (*PaperSet, error) {
	folder, size, err := findSize(dir, o.Size)
	if err != nil {
		return nil, err
	}
	s := new(PaperSet)
	var faults fault.FaultList
	s.openFiles(ctx, folder, size, o, &faults)
	if err = faults.Err(ErrDataset, folder); err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// findSize returns the folder of the requested size and the size that it found.
func findSize(dir, size string) (folder, found string, err error) {
	if err := fault.RequireFolder(ErrDataset, dir); err != nil {
		return "", "", err
	}
	found, err = selectSize(dir, size)
	return filepath.Join(dir, found, "processed"), found, err
}

func selectSize(dir, size string) (string, error) {
	if size != "" && !isKnownSize(size) {
		return "", fmt.Errorf("%w: unknown size %q, want one of %s", ErrDataset, size, strings.Join(SizeNames(), ", "))
	}
	var there []string
	for _, s := range SizeNames() {
		if info, err := os.Stat(filepath.Join(dir, s, "processed")); err == nil && info.IsDir() {
			there = append(there, s)
		}
	}
	switch {
	case size != "" && fault.PathExists(filepath.Join(dir, size, "processed")):
		return size, nil
	case size != "" || len(there) == 0:
		return "", fmt.Errorf("%w %s: it holds no %s/processed: %w", ErrDataset, dir, cmp.Or(size, "SIZE"), fs.ErrNotExist)
	case len(there) > 1:
		return "", fmt.Errorf("%w %s: it holds sizes %s: say which", ErrDataset, dir, strings.Join(there, ", "))
	}
	return there[0], nil
}

func (s *PaperSet) openFiles(ctx context.Context, folder, size string, o GraphOptions, faults *fault.FaultList) {
	labels, err := openLabels(folder, size)
	if err != nil {
		faults.Addf(filepath.Join(folder, "paper", "node_label_2K.npy"), "%v", err)
	}
	papers := 0
	if labels != nil {
		defer func() { _ = labels.Close() }()
		papers = labels.papers
	}
	if !o.LabelsOnly {
		papers = s.openGraph(ctx, folder, size, o, faults)
	}
	if labels != nil && o.Features != nil && labels.papers != papers && !isRawSize(size) {
		faults.Addf(labels.path, "%d labels, and features of %d papers: are they those of this data set?", labels.papers,
			papers)
	}
	if faults.Len() > 0 {
		return
	}
	if s.papers, err = readPapers(folder, size, papers); err != nil {
		faults.Addf(filepath.Join(folder, "val_idx.pt"), "%v", err)
		return
	}
	s.labels = labels.readLabels(s.papers, Classes, faults)
}

// openGraph opens features and graph and returns the number of papers.
func (s *PaperSet) openGraph(ctx context.Context, folder, size string, o GraphOptions,
	faults *fault.FaultList) (papers int) {
	if s.features = o.Features; s.features == nil {
		s.files = openFeatures(folder, size, faults)
		s.features = s.files
	}
	nodes, err := toNodeCounts(s.features.Types())
	if err != nil {
		faults.Addf("", "%v", err)
	}
	s.loadGraph(ctx, folder, nodes, o, faults)
	return nodes[Paper]
}

// loadGraph opens the edges and loads or builds their graph.
func (s *PaperSet) loadGraph(ctx context.Context, folder string, nodes NodeCounts, o GraphOptions,
	faults *fault.FaultList) {
	var edges StoredEdges
	for i, r := range storedRelations() {
		path := filepath.Join(folder, r.folder, "edge_index.npy")
		file, err := openEdges(path, r.folder)
		if err != nil {
			faults.Addf(path, "%v", err)
			continue
		}
		defer func() { _ = file.Close() }()
		edges[i] = file
	}
	if faults.Len() > 0 {
		return
	}
	g, kept, err := loadOrBuildGraph(ctx, nodes, edges, o.cachePath(folder))
	s.graph, s.saveErr = g, kept
	var several *FaultError
	switch {
	case errors.As(err, &several):
		for _, f := range several.Faults {
			faults.Addf(f.Where, "%s", f.Problem)
		}
	case err != nil:
		faults.Addf("", "%v", err)
	}
}

// cachePath returns the path of the graph's cache file, or "" for none.
func (o GraphOptions) cachePath(folder string) string {
	if o.NoCache {
		return ""
	}
	return cmp.Or(o.CachePath, filepath.Join(folder, cacheName))
}

// Len returns the number of samples.
func (s *PaperSet) Len() int { return len(s.papers) }

// Papers returns the papers to classify, which are the samples, in order. The caller must not change them.
func (s *PaperSet) Papers() []uint32 { return s.papers }

// Labels returns the classes of the samples. The caller must not change them.
func (s *PaperSet) Labels() []int { return s.labels }

// Graph returns the loaded graph, or nil with LabelsOnly.
func (s *PaperSet) Graph() *graph.Graph { return s.graph }

// Features returns the features of the graph's nodes, or nil with LabelsOnly.
func (s *PaperSet) Features() graph.FeatureStore { return s.features }

// SaveError returns the error of saving the graph's cache file, or nil if the file was saved, existed already or is
// disabled.
func (s *PaperSet) SaveError() error { return s.saveErr }

// Close unmaps the files.
func (s *PaperSet) Close() error {
	var all []error
	if s.graph != nil {
		all = append(all, s.graph.Close())
	}
	if s.files != nil {
		all = append(all, s.files.Close())
	}
	return errors.Join(all...)
}
