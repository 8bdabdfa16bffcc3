package igbh

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/datasets/internal/torchfile"
)

// maxIDs limits the number of papers in a file; the full data set has fewer.
const maxIDs = 1 << 29

// readPaperNumbers reads a list of paper numbers from a tensor written by torch.save. The tensor must be a complete,
// one-dimensional int64 tensor, and each number must be less than papers.
func readPaperNumbers(path string, papers int) (ids []uint32, err error) {
	t, err := torchfile.ReadTensor(path, torchfile.Long, maxIDs)
	if err != nil {
		return nil, err
	}
	if len(t.Shape) != 1 {
		return nil, fmt.Errorf("a tensor of shape %v, want one list", t.Shape)
	}
	return parsePaperNumbers(t.Data, papers)
}

// parsePaperNumbers converts little-endian int64 elements. Each must be less than papers.
func parsePaperNumbers(data []byte, papers int) ([]uint32, error) {
	ids := make([]uint32, len(data)/8)
	for i := range ids {
		id := binary.LittleEndian.Uint64(data[8*i:])
		if id >= uint64(papers) || id > math.MaxUint32 {
			return nil, fmt.Errorf("number %d is paper %d, want one of 0 to %d", i, int64(id), papers-1)
		}
		ids[i] = uint32(id)
	}
	return ids, nil
}
