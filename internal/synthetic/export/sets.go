package export

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/synthetic"
	"github.com/plumbline-ml/plumbline/internal/synthetic/articles"
	"github.com/plumbline-ml/plumbline/internal/synthetic/captioned"
	"github.com/plumbline-ml/plumbline/internal/synthetic/citations"
	"github.com/plumbline-ml/plumbline/internal/synthetic/clicks"
	"github.com/plumbline-ml/plumbline/internal/synthetic/preferences"
	"github.com/plumbline-ml/plumbline/internal/synthetic/products"
	"github.com/plumbline-ml/plumbline/internal/synthetic/questions"
	"github.com/plumbline-ml/plumbline/internal/synthetic/reasoning"
	"github.com/plumbline-ml/plumbline/internal/synthetic/scenes"
	"github.com/plumbline-ml/plumbline/internal/synthetic/speech"
	"github.com/plumbline-ml/plumbline/internal/synthetic/streets"
	"github.com/plumbline-ml/plumbline/internal/synthetic/translation"
	"github.com/plumbline-ml/plumbline/internal/synthetic/volumes"
)

// SetWriter writes the sets of one kind of samples.
type SetWriter struct {
	Sets []string // names of the sets, with "eval" first if it exists
	// Write writes n samples of a set, beginning with sample first, to a folder or, if File is set, to a file. If n is
	// negative, it writes all following samples.
	Write func(ctx context.Context, out, set string, first, n int) error
	// File is the official name of the file, for kinds that are written to one file.
	File string
}

// SceneSets returns the writer of scenes.
func SceneSets() SetWriter {
	return newWriter(Scenes, namedSets[scenes.Set]{
		"train": scenes.Train, "calibration": scenes.Calibration, "eval": scenes.Eval})
}

// VolumeSets returns the writer of volumes.
func VolumeSets() SetWriter {
	return newWriter(Volumes, namedSets[volumes.Set]{
		"train": volumes.Train, "calibration": volumes.Calibration, "eval": volumes.Eval})
}

// HeadSets returns the writer of heads.
func HeadSets() SetWriter {
	return newWriter(Heads, namedSets[volumes.HeadSet]{
		"train": volumes.HeadTrain, "calibration": volumes.HeadCalibration, "eval": volumes.HeadEval})
}

// StreetSets returns the writer of streets.
func StreetSets() SetWriter {
	return newWriter(Streets, namedSets[streets.Set]{
		"train": streets.Train, "calibration": streets.Calibration, "eval": streets.Eval})
}

// ClickSets returns the writer of clicks.
func ClickSets() SetWriter {
	return newWriter(Clicks, namedSets[*clicks.Set]{
		"train": clicks.Train, "eval": clicks.Eval})
}

// QuestionSets returns the writer of questions to a file.
func QuestionSets() SetWriter {
	w := newWriter(Questions, namedSets[questions.Set]{
		"train": questions.Train, "calibration": questions.Calibration, "eval": questions.Eval})
	w.File = "dev-v1.1.json"
	return w
}

// ArticleSets returns the writer of articles to a file.
func ArticleSets() SetWriter {
	w := newWriter(Articles, namedSets[articles.Set]{
		"train": articles.Train, "calibration": articles.Calibration, "eval": articles.Eval})
	w.File = "cnn_eval.json"
	return w
}

// SpeechSets returns the writer of speech.
func SpeechSets() SetWriter {
	return newWriter(Speech, namedSets[speech.Set]{
		"train": speech.Train, "calibration": speech.Calibration, "eval": speech.Eval})
}

// TranslationSets returns the writer of sentences.
func TranslationSets() SetWriter {
	return newWriter(Translation, namedSets[translation.Set]{
		"train": translation.Train, "eval": translation.Eval})
}

// CaptionedSets returns the writer of captioned pictures.
func CaptionedSets() SetWriter {
	return newWriter(Captioned, namedSets[captioned.Set]{
		"train": captioned.Train, "reference": captioned.Reference, "eval": captioned.Eval})
}

// ProductSets returns the writer of products.
func ProductSets() SetWriter {
	return newWriter(Products, namedSets[products.Set]{
		"train": products.Train, "calibration": products.Calibration, "eval": products.Eval})
}

// ReasoningSets returns the writer of questions with worked answers to a file.
func ReasoningSets() SetWriter {
	sets := reasoningEvaluations()
	sets["train"] = func() ReasoningRows { return reasoning.Train() }
	sets["calibration"] = func() ReasoningRows { return reasoning.Calibration() }
	w := newWriter(Reasoning, sets)
	w.File = "reasoning.jsonl"
	return w
}

// ReasoningProblemSets returns the writer of the evaluation sets' problems to a file.
func ReasoningProblemSets() SetWriter {
	w := newWriter(ReasoningProblems, reasoningEvaluations())
	w.File = "test.jsonl"
	return w
}

// reasoningEvaluations returns the sets of the benchmarks.
func reasoningEvaluations() namedSets[ReasoningRows] {
	return namedSets[ReasoningRows]{
		"deepseek":    func() ReasoningRows { return reasoning.DeepSeek() },
		"accuracy":    func() ReasoningRows { return reasoning.GPTOSS() },
		"performance": func() ReasoningRows { return reasoning.GPTOSSPerformance() },
		"compliance":  func() ReasoningRows { return reasoning.GPTOSSCompliance() },
	}
}

// CitationSets returns the writer of graphs. It only writes whole graphs.
func CitationSets() SetWriter {
	return newWriter(Citations, namedSets[*citations.Set]{
		"all": citations.All})
}

// PreferenceSets returns the writer of streams of rated items. It only writes whole streams.
func PreferenceSets() SetWriter {
	return newWriter(Preferences, namedSets[*preferences.Set]{
		"train": preferences.Train, "eval": preferences.Eval, "wide": preferences.Wide})
}

// ImageSets returns the writer of pictures, as JPEG with a quality of 1 to 100 or, with quality 0, as PNG. It can write
// more pictures than a set contains; they do not repeat.
func ImageSets(quality int) SetWriter {
	write := func(ctx context.Context, dir string, set synthetic.ImageSet, first, end int) error {
		set.N = max(set.N, end)
		return Images(ctx, dir, set, first, end, quality)
	}
	return newWriter(write, namedSets[synthetic.ImageSet]{
		"train": synthetic.ImageTrain, "calibration": synthetic.ImageCalibration, "eval": synthetic.ImageEval})
}

// namedSets contains the sets of a kind by their names.
type namedSets[S interface{ Len() int }] map[string]func() S

// newWriter returns a SetWriter that finds the set and the end of the range.
func newWriter[S interface{ Len() int }](write func(ctx context.Context, out string, set S, first, end int) error,
	all namedSets[S],
) SetWriter {
	names := slices.Sorted(maps.Keys(all)) // sorted: calibration comes before eval
	if i := slices.Index(names, "eval"); i > 0 {
		names = slices.Insert(slices.Delete(names, i, i+1), 0, "eval")
	}
	return SetWriter{Sets: names, Write: func(ctx context.Context, out, name string, first, n int) error {
		find, ok := all[name]
		if !ok {
			return fmt.Errorf("unknown set %q, want %s", name, strings.Join(slices.Sorted(maps.Keys(all)), ", "))
		}
		set := find()
		end := first + n
		if n < 0 {
			end = set.Len()
		}
		return write(ctx, out, set, first, end)
	}}
}
