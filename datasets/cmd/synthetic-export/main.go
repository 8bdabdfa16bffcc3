// Command synthetic-export writes a synthetic data set in the official layout of the data that it stands in for.
//
//	synthetic-export images -set train -n 20000 -out DIR
//	synthetic-export images -set eval -n 50000 -jpeg 90 -out DIR
//
// Kinds: images (ImageNet), scenes (OpenImages), volumes (KiTS19), clicks (Criteo), questions (SQuAD), articles
// (CNN/DailyMail), speech (LibriSpeech), citations (IGBH: one graph, set all), translation (WMT16, before byte-pair
// encoding), captioned (COCO-2014 for text to image, with its pictures).
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/synthetic"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/articles"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/captioned"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/citations"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/clicks"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/export"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/questions"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/scenes"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/speech"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/translation"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/volumes"
)

var kinds = map[string]kind{
	"images": {"DIR", writeImages},
	"scenes": {"DIR", sets(export.Scenes, named[scenes.Set]{
		"train": scenes.Train, "calibration": scenes.Calibration, "eval": scenes.Eval})},
	"volumes": {"DIR", sets(export.Volumes, named[volumes.Set]{
		"train": volumes.Train, "calibration": volumes.Calibration, "eval": volumes.Eval})},
	"clicks": {"DIR", sets(export.Clicks, named[*clicks.Set]{"train": clicks.Train, "eval": clicks.Eval})},
	"questions": {"FILE", sets(export.Questions, named[questions.Set]{
		"train": questions.Train, "calibration": questions.Calibration, "eval": questions.Eval})},
	"articles": {"FILE", sets(export.Articles, named[articles.Set]{
		"train": articles.Train, "calibration": articles.Calibration, "eval": articles.Eval})},
	"speech": {"DIR", sets(export.Speech, named[speech.Set]{
		"train": speech.Train, "calibration": speech.Calibration, "eval": speech.Eval})},
	"translation": {"DIR", sets(export.Translation, named[translation.Set]{
		"train": translation.Train, "eval": translation.Eval})},
	"captioned": {"DIR", sets(export.Captioned, named[captioned.Set]{
		"train": captioned.Train, "reference": captioned.Reference, "eval": captioned.Eval})},
	"citations": {"DIR", sets(export.Citations, named[*citations.Set]{"all": citations.All})},
}

// kind is one kind of synthetic data.
type kind struct {
	out   string // what is written to: DIR or FILE
	write func(ctx context.Context, o options) error
}

// options are the flags.
type options struct {
	set, out string
	first, n int
	jpeg     int // of images: the quality of JPEG, 0 for PNG
}

// named are the sets of a kind.
type named[S interface{ Len() int }] map[string]func() S

// sets is a kind's write: it finds the set and the end of the range.
func sets[S interface{ Len() int }](write func(ctx context.Context, out string, set S, first, end int) error,
	all named[S],
) func(ctx context.Context, o options) error {
	return func(ctx context.Context, o options) error {
		find, ok := all[o.set]
		if !ok {
			return fmt.Errorf("unknown set %q, want %s", o.set, oneOf(all))
		}
		set := find()
		end := o.first + o.n
		if o.n < 0 {
			end = set.Len()
		}
		return write(ctx, o.out, set, o.first, end)
	}
}

// writeImages writes pictures, more than the set has if so many are asked for: drawing goes on without repeating one.
func writeImages(ctx context.Context, o options) error {
	write := func(ctx context.Context, dir string, set synthetic.ImageSet, first, end int) error {
		set.N = max(set.N, end)
		return export.Images(ctx, dir, set, first, end, o.jpeg)
	}
	return sets(write, named[synthetic.ImageSet]{
		"train": synthetic.ImageTrain, "calibration": synthetic.ImageCalibration, "eval": synthetic.ImageEval})(ctx, o)
}

func oneOf[V any](m map[string]V) string {
	return strings.Join(slices.Sorted(maps.Keys(m)), ", ")
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "synthetic-export:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stderr io.Writer) error {
	if len(args) == 0 {
		return fmt.Errorf("want a kind of data first, one of %s", oneOf(kinds))
	}
	k, ok := kinds[args[0]]
	if !ok {
		return fmt.Errorf("unknown kind %q, want one of %s", args[0], oneOf(kinds))
	}
	var o options
	flags := flag.NewFlagSet("synthetic-export "+args[0], flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.set, "set", "train", "which set: train, calibration or eval; of captioned pictures also reference; of a graph: all")
	flags.IntVar(&o.first, "first", 0, "index of the first sample")
	flags.IntVar(&o.n, "n", -1, "how many samples (of images more than the set has, too); -1: to the end of the set")
	if args[0] == "images" {
		flags.IntVar(&o.jpeg, "jpeg", 0, "write JPEG of this quality, 1 to 100; 0: PNG")
	}
	flags.StringVar(&o.out, "out", "", k.out+" to write to (required)")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if o.out == "" || flags.NArg() > 0 {
		return fmt.Errorf("want -out %s and no other arguments, have %q", k.out, flags.Args())
	}
	return k.write(ctx, o)
}
