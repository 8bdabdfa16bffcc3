// Command synthetic-export writes a synthetic data set in the official layout of the data that it replaces.
//
//	synthetic-export images -set train -n 20000 -out DIR
//	synthetic-export images -set eval -n 50000 -jpeg 90 -out DIR
//
// Kinds: images (ImageNet), scenes (OpenImages), volumes (KiTS19), heads (BraTS), streets (Waymo in KITTI's form),
// clicks (Criteo), questions (SQuAD), articles (CNN/DailyMail), speech (LibriSpeech), citations (IGBH: one graph, set
// all), translation (WMT16, before byte-pair encoding), captioned (COCO-2014 for text to image, with its pictures),
// reasoning (deepseek-r1's questions, with worked answers), problems (LiveCodeBench, those of reasoning's sets),
// preferences (dlrm-v3's stream), products (the catalogue of qwen3-vl), encyclopedia (e2e-rag: pages and questions of
// one world), lookups (texts of pages, and queries for them).
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

	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
)

// exportOptions contains the values of the flags.
type exportOptions struct {
	set, out string
	first, n int
	jpeg     int // for images: JPEG quality; 0: PNG
}

// exportWriters returns the writers by the kind of data that they write.
func exportWriters() map[string]export.SetWriter {
	return map[string]export.SetWriter{
		"images": export.ImageSets(0), "scenes": export.SceneSets(), "volumes": export.VolumeSets(),
		"heads": export.HeadSets(), "streets": export.StreetSets(), "clicks": export.ClickSets(),
		"questions": export.QuestionSets(),
		"articles":  export.ArticleSets(), "speech": export.SpeechSets(),
		"translation": export.TranslationSets(), "captioned": export.CaptionedSets(), "citations": export.CitationSets(),
		"reasoning": export.ReasoningSets(), "problems": export.ReasoningProblemSets(),
		"products": export.ProductSets(), "preferences": export.PreferenceSets(),
		"encyclopedia": export.EncyclopediaSets(), "lookups": export.LookupSets(),
	}
}

func joinNames[V any](m map[string]V) string {
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
	kinds := exportWriters()
	if len(args) == 0 {
		return fmt.Errorf("want a kind of data first, one of %s", joinNames(kinds))
	}
	writer, ok := kinds[args[0]]
	if !ok {
		return fmt.Errorf("unknown kind %q, want one of %s", args[0], joinNames(kinds))
	}
	o, where := exportOptions{}, "DIR"
	if writer.File != "" {
		where = "FILE"
	}
	flags := flag.NewFlagSet("synthetic-export "+args[0], flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.set, "set", "train",
		"which set: train, calibration or eval; of captioned pictures also reference; of encyclopedias also unseen; of a "+
			"graph: all")
	flags.IntVar(&o.first, "first", 0, "index of the first sample")
	flags.IntVar(&o.n, "n", -1, "how many samples (of images more than the set has, too); -1: to the end of the set")
	if args[0] == "images" {
		flags.IntVar(&o.jpeg, "jpeg", 0, "write JPEG of this quality, 1 to 100; 0: PNG")
	}
	flags.StringVar(&o.out, "out", "", where+" to write to (required)")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if o.out == "" || flags.NArg() > 0 {
		return fmt.Errorf("want -out %s and no other arguments, have %q", where, flags.Args())
	}
	if o.jpeg != 0 {
		writer = export.ImageSets(o.jpeg)
	}
	return writer.Write(ctx, o.out, o.set, o.first, o.n)
}
