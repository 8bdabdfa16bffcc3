// Command synthetic-export writes a synthetic data set to a folder in the official layout: pictures as PNG and a
// val_map.txt.
//
//	synthetic-export -set train -n 20000 -out DIR
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/plumbline-ml/plumbline/datasets/synthetic"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/export"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "synthetic-export:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("synthetic-export", flag.ContinueOnError)
	flags.SetOutput(stderr)
	name := flags.String("set", "train", "which set: train, calibration or eval")
	first := flags.Int("first", 0, "index of the first picture")
	n := flags.Int("n", -1, "how many pictures; -1: to the end of the set")
	out := flags.String("out", "", "folder to write to (required)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *out == "" || flags.NArg() > 0 {
		return fmt.Errorf("want -out DIR and no other arguments, have %q", flags.Args())
	}
	set, err := imageSet(*name)
	if err != nil {
		return err
	}
	end := *first + *n
	if *n < 0 {
		end = set.Len()
	}
	return export.Images(ctx, *out, set, *first, end)
}

func imageSet(name string) (synthetic.ImageSet, error) {
	switch name {
	case "train":
		return synthetic.ImageTrain(), nil
	case "calibration":
		return synthetic.ImageCalibration(), nil
	case "eval":
		return synthetic.ImageEval(), nil
	}
	return synthetic.ImageSet{}, fmt.Errorf("unknown set %q, want train, calibration or eval", name)
}
