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

// ErrDataset is what every error of this package is: a data set that is missing or wrong.
var ErrDataset = errors.New("graph data set")

// FaultError contains all faults of a data set; errors.As finds it.
type FaultError = fault.DatasetError

// keptName is the file beside the data that keeps the graph.
const keptName = "graph.plumbline"

// GraphOptions selects the data to open. The zero value is for a folder with one size.
type GraphOptions struct {
	// Size is one of Sizes; empty: the only one that the folder holds.
	Size string
	// LabelsOnly opens papers and labels alone: to score a finished run, they are enough.
	LabelsOnly bool
	// Kept is the file that keeps the graph; empty: one beside the data. NoKept: there is none.
	Kept   string
	NoKept bool
	// Features, if not nil, are those of the nodes, of the types of IGBH in order: the files of features are not opened
	// then, and may lie elsewhere. The caller closes them after the set.
	Features graph.FeatureStore
}

// PaperSet is a data set whose files have passed their checks. It may be used from many goroutines.
type PaperSet struct {
	papers   []uint32
	labels   []int
	graph    *graph.Graph
	features graph.FeatureStore
	files    *FeatureFiles // those that the set opened
	kept     error
}

// Open checks the files of DIR/SIZE/processed, loads the graph, or makes and keeps it, and reads papers and labels.
// The error lists every fault: it is a [*FaultError] for which errors.Is(err, ErrDataset) holds; or ctx's. The caller
// closes the set.
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

// findSize finds the folder of the size that is meant.
func findSize(dir, size string) (folder, found string, err error) {
	if err := fault.NoFolder(ErrDataset, dir); err != nil {
		return "", "", err
	}
	found, err = sizeOf(dir, size)
	return filepath.Join(dir, found, "processed"), found, err
}

func sizeOf(dir, size string) (string, error) {
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
	if labels != nil && o.Features != nil && labels.papers != papers && !rawSize(size) {
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

// openGraph opens features and graph and counts the papers.
func (s *PaperSet) openGraph(ctx context.Context, folder, size string, o GraphOptions,
	faults *fault.FaultList) (papers int) {
	if s.features = o.Features; s.features == nil {
		s.files = openFeatures(folder, size, faults)
		s.features = s.files
	}
	nodes, err := countsOf(s.features.Types())
	if err != nil {
		faults.Addf("", "%v", err)
	}
	s.loadGraph(ctx, folder, nodes, o, faults)
	return nodes[Paper]
}

// loadGraph opens the edges, and takes the graph that is kept of them or makes it.
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
	g, kept, err := makeGraph(ctx, nodes, edges, o.keptPath(folder))
	s.graph, s.kept = g, kept
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

// keptPath is where the graph is kept; empty: nowhere.
func (o GraphOptions) keptPath(folder string) string {
	if o.NoKept {
		return ""
	}
	return cmp.Or(o.Kept, filepath.Join(folder, keptName))
}

// Len is the number of samples.
func (s *PaperSet) Len() int { return len(s.papers) }

// Papers are the samples, in order: the papers whose classes are asked for. The caller must not change them.
func (s *PaperSet) Papers() []uint32 { return s.papers }

// Labels are the classes of the samples. The caller must not change them.
func (s *PaperSet) Labels() []int { return s.labels }

// Graph is the loaded graph; nil with LabelsOnly.
func (s *PaperSet) Graph() *graph.Graph { return s.graph }

// Features are those of the graph's nodes; nil with LabelsOnly.
func (s *PaperSet) Features() graph.FeatureStore { return s.features }

// KeptFault is why the graph could not be kept for the next time; nil where it was, or was not to be.
func (s *PaperSet) KeptFault() error { return s.kept }

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
