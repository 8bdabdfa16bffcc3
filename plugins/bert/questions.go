package bert

import (
	"context"
	"fmt"
	"slices"

	accuracy "github.com/plumbline-ml/plumbline/accuracy/squad"
	"github.com/plumbline-ml/plumbline/datasets/squad"
	"github.com/plumbline-ml/plumbline/internal/parallel"
	"github.com/plumbline-ml/plumbline/internal/synthetic/questions"
	"github.com/plumbline-ml/plumbline/preprocess/text/features"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// featureLength is the number of positions of a feature in the benchmark, and of a payload.
const featureLength = 384

// drawnFeatures is the number of features of the embedded data set, made with the network's vocabulary.
const drawnFeatures = 1020

// vocabularyFile is the place of a data set's vocabulary in the reference implementation's folders.
var vocabularyFile = manifest.AssetFile{
	Param: "vocab", Name: "vocabulary", Want: "a vocab.txt", Embedded: "model/vocab.txt",
	Beside:   []string{"vocab.txt", "bert_tf_v1_1_large_fp32_384_v2/vocab.txt"},
	MaxBytes: 16 << 20, // bytes; the official file has 231,508
}

// questionSet is a data set converted to features. It is read-only.
type questionSet struct {
	examples []accuracy.Example
	features []features.Feature // features of all examples, in order: sample i is feature i
	remarks  []string           // remarks about unusual records
}

// openQuestions reads the data set of a run, or generates the embedded one, and makes the features of its questions.
// The parameters select the vocabulary. If this fails, it adds a fault and returns nil.
func openQuestions(ctx context.Context, r *manifest.Request) *questionSet {
	builder := openBuilder(r)
	set, ok := manifest.OpenDataset(r, questions.Eval().SQuAD, squad.Open)
	if builder == nil || !ok {
		return nil
	}
	paragraphs := set.Paragraphs()
	parts := make([][]accuracy.Example, len(paragraphs))
	parallel.Each(ctx, len(paragraphs), func(i int) { parts[i] = makeExamples(paragraphs[i], builder) })
	if err := ctx.Err(); err != nil {
		r.AddFault(err)
		return nil
	}
	s := &questionSet{examples: slices.Concat(parts...), remarks: set.Remarks()}
	if s.features = accuracy.AllFeatures(s.examples); len(s.features) == 0 {
		r.AddFault(sdk.Data(fmt.Errorf("%w: no passage has any text", squad.ErrDataset)))
		return nil
	}
	if n := r.SampleCount(len(s.features), "features"); r.Count > 0 {
		s.examples, s.features = accuracy.FirstExamples(s.examples, n), s.features[:n]
	}
	return s
}

func openBuilder(r *manifest.Request) *features.Builder {
	text, ok := r.ReadAsset(vocabularyFile)
	if !ok {
		return nil
	}
	b, err := features.OpenBuilder(text, features.LengthOptions{Length: featureLength})
	r.AddFault(sdk.Data(err))
	return b
}

// makeExamples returns the questions about a passage.
func makeExamples(p squad.Paragraph, b *features.Builder) []accuracy.Example {
	passage, examples := b.Passage(p.Context), make([]accuracy.Example, len(p.Questions))
	for i, q := range p.Questions {
		examples[i] = accuracy.Example{
			ID: q.ID, Question: q.Text, Answers: q.AnswerTexts(), Features: b.Build(passage, q.Text),
		}
	}
	return examples
}
