package dlrm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/plumbline-ml/plumbline/datasets/criteo"
	"github.com/plumbline-ml/plumbline/plugins/dlrm/internal/tabular"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// groupSamples groups the pairs of a data set and, if requested, writes the trace.
func (s clickSource) groupSamples(pairs int) ([]criteo.PairRange, error) {
	samples, err := s.groupPairs(pairs)
	if err != nil {
		return nil, err
	}
	samples = samples[:s.SampleCount(len(samples), "samples")]
	if s.TraceOut != "" {
		return samples, writeTrace(s.TraceOut, samples)
	}
	return samples, nil
}

func (g pairGrouping) groupPairs(pairs int) ([]criteo.PairRange, error) {
	if g.Trace != "" {
		return g.readTrace(pairs)
	}
	bounds, err := g.groupBounds(pairs)
	if err != nil {
		return nil, sdk.Data(err)
	}
	samples := make([]criteo.PairRange, len(bounds)-1)
	for i := range samples {
		samples[i] = criteo.PairRange{Start: bounds[i], End: bounds[i+1]}
	}
	return samples, nil
}

func (g pairGrouping) groupBounds(pairs int) ([]int, error) {
	if g.Sizes.fixedSize > 0 {
		return tabular.GroupEqually(pairs, g.Sizes.fixedSize)
	}
	q, err := g.Sizes.sizeQuantiles()
	if err != nil {
		return nil, err
	}
	return tabular.GroupPairs(pairs, q, g.Seed)
}

// readTrace reads the trace, whose ranges must be within the pairs.
func (g pairGrouping) readTrace(pairs int) ([]criteo.PairRange, error) {
	samples, err := readSmallFile(g.Trace, criteo.ReadTrace)
	if err != nil {
		return nil, sdk.Data(err)
	}
	if end := samples[len(samples)-1].End; end > pairs {
		return nil, sdk.Data(fmt.Errorf("trace %s goes to pair %d, and the data set has %d: it is of another data set",
			g.Trace, end, pairs))
	}
	return samples, nil
}

// maxSmallFileBytes limits the size of a trace or of a table of hot categories. Those of the whole data set have
// megabytes.
const maxSmallFileBytes = 1 << 30

// readSmallFile reads a small file. Errors name the file.
func readSmallFile[T any](path string, read func(io.Reader) (T, error)) (v T, err error) {
	data, err := backend.ReadFile(path, maxSmallFileBytes)
	if err != nil {
		return v, err
	}
	if v, err = read(bytes.NewReader(data)); err != nil {
		return v, fmt.Errorf("%s: %w", path, err)
	}
	return v, nil
}

func writeTrace(path string, samples []criteo.PairRange) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write trace: %w", err)
	}
	if err := errors.Join(criteo.WriteTrace(f, samples), f.Close()); err != nil {
		return fmt.Errorf("write trace %s: %w", path, err)
	}
	return nil
}
