package main

import (
	"context"
	"fmt"
	"time"

	"github.com/plumbline-ml/plumbline/datasets/graph"
	"github.com/plumbline-ml/plumbline/datasets/igbh"
	"github.com/plumbline-ml/plumbline/plugins/rgat/internal/sampling"
)

// printDrawRates prints the number of papers per second whose neighbourhoods one core draws: for single papers and for
// batches that share nodes, without and with the features of the nodes.
func printDrawRates(ctx context.Context, set *igbh.PaperSet, s speedSettings) error {
	sampler, err := sampling.New(set.Graph(), sampling.SamplerOptions{SeedType: igbh.Paper, Fanouts: []int{15, 10, 5},
		Seed: 1})
	if err != nil {
		return err
	}
	papers := set.Papers()
	alone := func(b *sampling.NeighborBatch, i int) error {
		return sampler.AddSample(b, uint64(i), papers[i%len(papers)])
	}
	if err := printRate(ctx, set, "papers by themselves", 1, s.draws, alone); err != nil {
		return err
	}
	for _, n := range s.batches {
		shared := func(b *sampling.NeighborBatch, i int) error {
			first := i * n % (len(papers) - n)
			return sampler.AddShared(b, papers[first:first+n])
		}
		if err := printRate(ctx, set, fmt.Sprintf("batches of %d", n), n, s.draws, shared); err != nil {
			return err
		}
	}
	return nil
}

// printRate prints the number of papers per second that add draws, without and with features. Each call of add draws n
// papers.
func printRate(ctx context.Context, set *igbh.PaperSet, what string, n int, limit time.Duration,
	add func(b *sampling.NeighborBatch, i int) error,
) error {
	b := sampling.NewBatch(set.Graph())
	nodes, edges := 0, 0
	calls, drawn, err := measureCallRate(limit, func(i int) error {
		b.Reset()
		err := add(b, i)
		nodes, edges = nodes+b.NodeCount(), edges+b.EdgeCount()
		return err
	})
	if err != nil {
		return err
	}
	_, gathered, err := measureCallRate(limit, func(i int) error {
		b.Reset()
		if err := add(b, i); err != nil {
			return err
		}
		return gatherFeatures(ctx, set.Features(), b)
	})
	fmt.Printf("%s: %.0f papers/s, with features %.0f; %d nodes and %d edges each\n", what, drawn*float64(n),
		gathered*float64(n), nodes/calls/n, edges/calls/n)
	return err
}

// measureCallRate measures how often a core can run call per second. It uses the process's CPU time, so other work on
// the machine does not count.
func measureCallRate(limit time.Duration, call func(i int) error) (calls int, rate float64, err error) {
	start, busy := time.Now(), cpuTime()
	for time.Since(start) < limit {
		if err := call(calls); err != nil {
			return 0, 0, err
		}
		calls++
	}
	return calls, float64(calls) / (cpuTime() - busy).Seconds(), nil
}

// gatherFeatures reads the features of a batch.
func gatherFeatures(ctx context.Context, from graph.FeatureStore, b *sampling.NeighborBatch) error {
	for t, nodes := range b.Nodes {
		if err := from.Gather(ctx, make([]float32, len(nodes)*from.Width()), t, nodes); err != nil {
			return err
		}
	}
	return nil
}
