// Command synthetic-volumes writes the synthetic volumes to a folder in the layout in which KiTS19 is published.
//
//	synthetic-volumes -set train -out DIR
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/plumbline-ml/plumbline/datasets/synthetic/volumes"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/volumes/export"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "synthetic-volumes:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("synthetic-volumes", flag.ContinueOnError)
	flags.SetOutput(stderr)
	name := flags.String("set", "train", "which set: train, calibration or eval")
	first := flags.Int("first", 0, "index of the first volume")
	n := flags.Int("n", -1, "how many volumes; -1: to the end of the set")
	out := flags.String("out", "", "folder to write to (required)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *out == "" || flags.NArg() > 0 {
		return fmt.Errorf("want -out DIR and no other arguments, have %q", flags.Args())
	}
	set, err := volumeSet(*name)
	if err != nil {
		return err
	}
	end := *first + *n
	if *n < 0 {
		end = set.Len()
	}
	return export.Cases(ctx, *out, set, *first, end)
}

func volumeSet(name string) (volumes.Set, error) {
	switch name {
	case "train":
		return volumes.Train(), nil
	case "calibration":
		return volumes.Calibration(), nil
	case "eval":
		return volumes.Eval(), nil
	}
	return volumes.Set{}, fmt.Errorf("unknown set %q, want train, calibration or eval", name)
}
