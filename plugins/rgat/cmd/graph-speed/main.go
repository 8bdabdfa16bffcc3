// Command graph-speed generates a large graph and measures its loading, its memory and the sampling of neighbourhoods
// of 15, 10 and 5.
//
//	graph-speed -make -scale 1425 -width 128 DIR    10 million nodes, 117 million edges as loaded: 6 GB
//	graph-speed DIR
//	graph-speed -features AT DIR                    features at servers (harness dataset convert rgat store)
//	python peer.py DIR                              the same with DGL
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/plumbline-ml/plumbline/datasets/graph"
	"github.com/plumbline-ml/plumbline/datasets/igbh"
	"github.com/plumbline-ml/plumbline/plugins/rgat/internal/remote"
)

type speedSettings struct {
	make, keep   bool
	scale, width int
	features     string
	draws        time.Duration
	batches      []int
}

func main() {
	s := speedSettings{batches: []int{1, 64, 1024}}
	flag.BoolVar(&s.make, "make", false, "make the graph instead of measuring it")
	flag.IntVar(&s.scale, "scale", 1425, "of what is made: how many times the embedded graph's nodes")
	flag.IntVar(&s.width, "width", 128, "of what is made: features of a node")
	flag.BoolVar(&s.keep, "keep", false, "keep the loaded graph beside the data, or take it from there")
	flag.StringVar(&s.features, "features", "", "folder whose features.json names the servers that features are read from")
	flag.DurationVar(&s.draws, "time", 3*time.Second, "of each measurement of draws")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := errors.New("want one argument, the folder of the graph")
	switch {
	case flag.NArg() != 1:
	case s.make:
		err = igbh.WriteDataset(ctx, flag.Arg(0), "tiny", newRepeatedFeatures(s.scale, s.width))
	default:
		err = measureGraph(ctx, flag.Arg(0), s)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "graph-speed:", err)
		os.Exit(1)
	}
}

// measureGraph prints the time and memory that a graph takes.
func measureGraph(ctx context.Context, dir string, s speedSettings) error {
	o := igbh.GraphOptions{NoCache: !s.keep}
	if s.features != "" {
		store, err := remote.Open(ctx, s.features)
		if err != nil {
			return err
		}
		defer store.Close()
		o.Features = store
	}
	before, start, busy := peakMemory(), time.Now(), cpuTime()
	set, err := igbh.Open(ctx, dir, o)
	if err != nil {
		return err
	}
	defer set.Close()
	g := set.Graph()
	fmt.Printf("load and CSC: %.1f s (%.1f s of processor time), at most %.2f GB of memory\n", time.Since(start).Seconds(),
		(cpuTime() - busy).Seconds(), float64(peakMemory()-before)/1e9)
	fmt.Printf("graph: %d nodes, %d edges, %.2f bytes each\n", countNodes(g), g.EdgeCount(),
		float64(g.MemoryBytes())/float64(g.EdgeCount()))
	return printDrawRates(ctx, set, s)
}

func countNodes(g *graph.Graph) (n int) {
	for _, t := range g.Types {
		n += t.Nodes
	}
	return n
}

// peakMemory returns the maximum memory of the process so far, in bytes.
func peakMemory() int64 { return int64(resourceUsage().Maxrss) << 10 } //nolint:unconvert // kilobytes; 32 bits on some

// cpuTime returns the CPU time that the process has used.
func cpuTime() time.Duration {
	u := resourceUsage()
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func resourceUsage() (u syscall.Rusage) {
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u
}
