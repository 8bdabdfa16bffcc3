// Package exporter is the command line of the programs that write a synthetic data set to a folder.
package exporter

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

// Program writes samples [first, end) of one of three sets.
type Program[S interface{ Len() int }] struct {
	Name, Samples            string // of the program, and of what it writes: "pictures"
	Train, Calibration, Eval func() S
	Write                    func(ctx context.Context, dir string, set S, first, end int) error
}

// Main runs the program on the command line, until it is interrupted, and exits with 1 if it fails.
func (p Program[S]) Main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := p.Run(ctx, os.Args[1:], os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", p.Name, err)
		os.Exit(1)
	}
}

// Run runs the program on args.
func (p Program[S]) Run(ctx context.Context, args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet(p.Name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	name := flags.String("set", "train", "which set: train, calibration or eval")
	first := flags.Int("first", 0, "index of the first of the "+p.Samples)
	n := flags.Int("n", -1, "how many "+p.Samples+"; -1: to the end of the set")
	out := flags.String("out", "", "folder to write to (required)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *out == "" || flags.NArg() > 0 {
		return fmt.Errorf("want -out DIR and no other arguments, have %q", flags.Args())
	}
	set, err := p.set(*name)
	if err != nil {
		return err
	}
	end := *first + *n
	if *n < 0 {
		end = set.Len()
	}
	return p.Write(ctx, *out, set, *first, end)
}

func (p Program[S]) set(name string) (set S, err error) {
	switch name {
	case "train":
		return p.Train(), nil
	case "calibration":
		return p.Calibration(), nil
	case "eval":
		return p.Eval(), nil
	}
	return set, fmt.Errorf("unknown set %q, want train, calibration or eval", name)
}
