package officialdata

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/datasets/graph"
	"github.com/plumbline-ml/plumbline/datasets/igbh"
	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// IGBH writes a graph twice. In dir/tiny, the files of papers, authors and labels have a header, and val_idx.pt exists.
// In dir/full, these files have no header, and the papers of the benchmark are those of the official split. It returns
// the accuracy of tinymodel.RGAT on the samples of each, in percent.
func IGBH(dir string) (tiny, full float64, err error) {
	c := citations{}
	if err := errors.Join(igbh.WriteDataset(context.Background(), dir, "tiny", c),
		igbh.WriteDataset(context.Background(), dir, "full", c)); err != nil {
		return 0, 0, err
	}
	folder := filepath.Join(dir, "full", "processed")
	faults := []error{os.Remove(filepath.Join(folder, "val_idx.pt"))}
	for _, name := range []string{"paper/node_feat.npy", "author/node_feat.npy", "paper/node_label_2K.npy"} {
		faults = append(faults, stripHeader(filepath.Join(folder, name)))
	}
	_, listed := c.Split()
	_, drawn := igbh.DrawSplit(igbhPapers, igbh.SplitSeed, igbh.ValidationFraction)
	return c.accuracy(listed), c.accuracy(drawn), errors.Join(faults...)
}

// stripHeader reduces a .npy file to its elements.
func stripHeader(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	const length = 8 // offset of the header's length
	return os.WriteFile(path, data[length+2+int(binary.LittleEndian.Uint16(data[length:])):], 0o666)
}

// igbhPapers is the number of papers. The split of that many papers has 20 papers for the benchmark.
const igbhPapers = 4000

// citations is a graph in which a paper's largest feature is its class, except for one paper in four.
type citations struct{}

func (citations) Counts() igbh.NodeCounts {
	return igbh.NodeCounts{igbh.Author: 300, igbh.Conference: 3, igbh.FieldOfStudy: 40, igbh.Institute: 5, igbh.Journal: 4,
		igbh.Paper: igbhPapers}
}

func (citations) Width() int { return tinymodel.RGATClasses }

func (citations) Features(dst []float32, _, first int) {
	for i := range dst {
		dst[i] = 0
		if node := first + i/tinymodel.RGATClasses; node%tinymodel.RGATClasses == i%tinymodel.RGATClasses {
			dst[i] = 1
		}
	}
}

func (citations) Label(paper int) int {
	if paper%4 == 1 {
		paper++
	}
	return paper % tinymodel.RGATClasses
}

func (c citations) Edges() (all igbh.StoredEdges) {
	for i, name := range []string{"author__affiliated_to__institute", "paper__cites__paper", "paper__published__journal",
		"paper__topic__fos", "paper__venue__conference", "paper__written_by__author"} {
		var pairs []int64
		for k := range int64(200) {
			pairs = append(pairs, k, k%3)
		}
		all[i] = graph.EdgePairs{ListName: name, Values: pairs}
	}
	return all
}

// Split returns the last papers as samples.
func (citations) Split() (train, samples []uint32) {
	for i := range uint32(30) {
		train, samples = append(train, i), append(samples, igbhPapers-1-i)
	}
	return train, samples
}

// accuracy returns the accuracy on the first 20 samples.
func (c citations) accuracy(samples []uint32) float64 {
	good := 0
	for _, paper := range samples[:20] {
		if c.Label(int(paper)) == int(paper)%tinymodel.RGATClasses {
			good++
		}
	}
	return 100 * float64(good) / 20
}
