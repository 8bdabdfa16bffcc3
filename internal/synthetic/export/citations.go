package export

import (
	"context"
	"fmt"

	"github.com/plumbline-ml/plumbline/datasets/igbh"
	"github.com/plumbline-ml/plumbline/internal/synthetic/citations"
)

// Citations writes a graph to the folder dir as an IGBH data set of the size "tiny". A graph can only be written whole:
// first and end must include all its papers.
func Citations(ctx context.Context, dir string, set *citations.Set, first, end int) error {
	if first != 0 || end != set.Len() {
		return fmt.Errorf("papers %d to %d of %d: a graph is written whole", first, end, set.Len())
	}
	return igbh.WriteDataset(ctx, dir, "tiny", set)
}
