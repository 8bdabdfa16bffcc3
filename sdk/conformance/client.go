package conformance

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// queryClient sends queries to a workload without LoadGen, one call after another.
type queryClient struct {
	plugin   *host.Plugin
	workload *host.Workload
	model    sdk.ModelInfo // set by pluginVisit.openClient
	size     int           // of the data set
	next     loadgen.ResponseID

	mu       sync.Mutex
	first    loadgen.ResponseID // of the current queries
	answers  [][]byte           // by response id minus first
	answered []bool
	missing  int
	faults   []error
	done     chan struct{} // closed when missing is 0
}

func newClient(p *host.Plugin, w *host.Workload) *queryClient {
	return &queryClient{plugin: p, workload: w, size: w.Info().DatasetSize}
}

// allSamples returns the indices of the workload's samples.
func (c *queryClient) allSamples() []loadgen.SampleIndex {
	indices := make([]loadgen.SampleIndex, c.size)
	for i := range indices {
		indices[i] = loadgen.SampleIndex(i)
	}
	return indices
}

// runQuery issues one query and returns the payload of each of its samples, in order.
func (c *queryClient) runQuery(ctx context.Context, indices []loadgen.SampleIndex) ([][]byte, error) {
	return c.runQueries(ctx, indices, len(indices))
}

// queryEach issues a query for each sample, all at once, and returns the payloads in order.
func (c *queryClient) queryEach(ctx context.Context, indices []loadgen.SampleIndex) ([][]byte, error) {
	return c.runQueries(ctx, indices, 1)
}

// runQueries issues queries of each samples and waits for all answers.
func (c *queryClient) runQueries(ctx context.Context, indices []loadgen.SampleIndex, each int) ([][]byte, error) {
	ctx, cancel := c.plugin.Context(ctx)
	defer cancel()
	done, err := c.issueQueries(ctx, indices, each)
	if err != nil {
		return nil, err
	}
	if err := c.workload.SUT().FlushQueries(ctx); err != nil {
		return nil, err
	}
	if err := awaitDone(ctx, done); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.faults) > 0 {
		return nil, c.faults[0]
	}
	return c.answers, nil
}

// awaitDone waits for done. If ctx ends first, it returns the reason. It prefers done, because an error that arrives
// with the last answer is not a fault of this query.
func awaitDone(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	select {
	case <-done:
		return nil
	default:
		return context.Cause(ctx)
	}
}

// issueQueries issues queries of each samples. The returned channel is closed when all of them are answered.
func (c *queryClient) issueQueries(ctx context.Context, indices []loadgen.SampleIndex, each int) (<-chan struct{},
	error) {
	samples := make([]loadgen.QuerySample, len(indices))
	c.mu.Lock()
	c.first, c.missing, c.done = c.next, len(indices), make(chan struct{})
	c.answers, c.answered, c.faults = make([][]byte, len(indices)), make([]bool, len(indices)), nil
	done := c.done
	c.mu.Unlock()
	for i, index := range indices {
		samples[i] = loadgen.QuerySample{ID: c.next, Index: index}
		c.next++
	}
	for part := range slices.Chunk(samples, max(each, 1)) {
		if err := c.workload.SUT().IssueQuery(ctx, loadgen.Query{Samples: part}, c); err != nil {
			return nil, err
		}
	}
	return done, nil
}

// QuerySamplesComplete implements loadgen.Responder.
func (c *queryClient) QuerySamplesComplete(rs []loadgen.QuerySampleResponse) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range rs {
		i := int64(r.ID) - int64(c.first)
		if i < 0 || i >= int64(len(c.answers)) || c.answered[i] {
			c.faults = append(c.faults, fmt.Errorf("response id %d was answered twice, or never issued", r.ID))
			continue
		}
		c.answers[i], c.answered[i] = slices.Clone(r.Data), true
		if c.missing--; c.missing == 0 {
			close(c.done)
		}
	}
}

// FirstTokenComplete implements loadgen.Responder.
func (c *queryClient) FirstTokenComplete([]loadgen.QuerySampleResponse) {}

// answeredCount returns the number of answered samples of the current queries.
func (c *queryClient) answeredCount() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.answers) - c.missing
}
