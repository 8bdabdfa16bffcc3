package igbh

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/datasets/internal/mapped"
)

// readPapers returns the papers that are samples: those of val_idx.pt if it exists, otherwise those of the official
// split.
func readPapers(folder, size string, papers int) ([]uint32, error) {
	path := filepath.Join(folder, "val_idx.pt")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		_, validation := DrawSplit(labelledPapers(size, papers), SplitSeed, ValidationFraction)
		return validation, nil
	}
	return readPaperNumbers(path, papers)
}

// labelFile contains the classes of papers in a memory-mapped file.
type labelFile struct {
	path   string
	memory *mapped.MappedFile
	offset int64
	papers int
}

func openLabels(folder, size string) (*labelFile, error) {
	e, err := openElements(filepath.Join(folder, "paper", "node_label_2K.npy"), "<f4", 4, isRawSize(size))
	if err != nil {
		return nil, err
	}
	if h := e.header; h != nil && len(h.Shape) != 1 && (len(h.Shape) != 2 || h.Shape[1] != 1) {
		return nil, errors.Join(fmt.Errorf("an array of %v, want one number for each paper", h), e.Close())
	}
	if e.length%4 != 0 {
		return nil, errors.Join(fmt.Errorf("%d bytes, want 4 for each paper: is the file complete?", e.length), e.Close())
	}
	if err := e.Close(); err != nil {
		return nil, err
	}
	memory, err := mapped.Open(e.path)
	if err != nil {
		return nil, err
	}
	return &labelFile{e.path, memory, e.offset, int(e.length / 4)}, nil
}

// readLabels returns the classes of papers. Each must be less than classes.
func (l *labelFile) readLabels(papers []uint32, classes int, faults *fault.FaultList) (labels []int) {
	if err := mapped.CatchFaults(func() { labels = l.readClasses(papers, classes, faults) }); err != nil {
		faults.Addf(l.path, "%v", err)
	}
	return labels
}

func (l *labelFile) readClasses(papers []uint32, classes int, faults *fault.FaultList) []int {
	labels, memory := make([]int, len(papers)), l.memory.Bytes()[l.offset:]
	for i, paper := range papers {
		if int64(paper) >= int64(l.papers) {
			faults.Addf(l.path, "paper %d (sample %d) has no label: there are %d", paper, i, l.papers)
			continue
		}
		v := math.Float32frombits(binary.LittleEndian.Uint32(memory[4*int64(paper):]))
		if !(v >= 0 && v < float32(classes)) || v != float32(int(v)) {
			faults.Addf(l.path, "paper %d (sample %d) has label %v, want a class of 0 to %d", paper, i, v, classes-1)
			continue
		}
		labels[i] = int(v)
	}
	return labels
}

// Close unmaps the file.
func (l *labelFile) Close() error { return l.memory.Close() }
