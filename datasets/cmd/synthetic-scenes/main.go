// Command synthetic-scenes writes the synthetic detection data set to a folder in the layout of OpenImages: pictures as
// PNG and annotations/openimages-mlperf.json.
//
//	synthetic-scenes -set train -n 8000 -out DIR
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/plumbline-ml/plumbline/datasets/synthetic/scenes"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/scenes/export"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "synthetic-scenes:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("synthetic-scenes", flag.ContinueOnError)
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
	set, err := sceneSet(*name)
	if err != nil {
		return err
	}
	end := *first + *n
	if *n < 0 {
		end = set.Len()
	}
	return export.Scenes(ctx, *out, set, *first, end)
}

func sceneSet(name string) (scenes.Set, error) {
	switch name {
	case "train":
		return scenes.Train(), nil
	case "calibration":
		return scenes.Calibration(), nil
	case "eval":
		return scenes.Eval(), nil
	}
	return scenes.Set{}, fmt.Errorf("unknown set %q, want train, calibration or eval", name)
}
