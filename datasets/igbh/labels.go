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
)

// readPapers reads which of the papers are samples: those of val_idx.pt, or, where that is not there, of the official
// split.
func readPapers(folder, size string, papers int) ([]uint32, error) {
	path := filepath.Join(folder, "val_idx.pt")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		_, validation := Split(labelled(size, papers), SplitSeed, ValidationFraction)
		return validation, nil
	}
	return readTorch(path, papers)
}

// labelFile is the classes of papers.
type labelFile struct {
	*elements
	papers int
}

func openLabels(folder, size string) (*labelFile, error) {
	e, err := openElements(filepath.Join(folder, "paper", "node_label_2K.npy"), "<f4", 4, rawSize(size))
	if err != nil {
		return nil, err
	}
	if h := e.header; h != nil && len(h.Shape) != 1 && (len(h.Shape) != 2 || h.Shape[1] != 1) {
		return nil, errors.Join(fmt.Errorf("an array of %v, want one number for each paper", h), e.Close())
	}
	if e.length%4 != 0 {
		return nil, errors.Join(fmt.Errorf("%d bytes, want 4 for each paper: is the file complete?", e.length), e.Close())
	}
	return &labelFile{e, int(e.length / 4)}, nil
}

// read reads the classes of papers, each of which must be below classes.
func (l *labelFile) read(papers []uint32, classes int, faults *fault.List) []int {
	labels := make([]int, len(papers))
	for i, paper := range papers {
		var b [4]byte
		if int64(paper) >= int64(l.papers) {
			faults.Addf(l.path, "paper %d (sample %d) has no label: there are %d", paper, i, l.papers)
			continue
		}
		if _, err := l.file.ReadAt(b[:], l.offset+4*int64(paper)); err != nil {
			faults.Addf(l.path, "paper %d: %v", paper, err)
			continue
		}
		v := math.Float32frombits(binary.LittleEndian.Uint32(b[:]))
		if !(v >= 0 && v < float32(classes)) || v != float32(int(v)) {
			faults.Addf(l.path, "paper %d (sample %d) has label %v, want a class of 0 to %d", paper, i, v, classes-1)
			continue
		}
		labels[i] = int(v)
	}
	return labels
}
