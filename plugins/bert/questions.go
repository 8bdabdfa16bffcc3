package bert

import (
	"context"
	"errors"
	"fmt"

	accuracy "github.com/plumbline-ml/plumbline/accuracy/squad"
	"github.com/plumbline-ml/plumbline/datasets/squad"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/questions"
	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/internal/parallel"
	"github.com/plumbline-ml/plumbline/preprocess/text/features"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// length is the number of positions that the benchmark gives a feature, and those of a payload.
const length = 384

// questionSet is a data set as features. It is read-only.
type questionSet struct {
	examples []accuracy.Example
	asked    []string           // the questions of the examples
	features []features.Feature // of all examples, in their order: sample i is feature i
	remarks  []string           // about what is odd in the data set
}

// drawnFeatures is how many features the embedded data set has: the network's questions with its vocabulary.
const drawnFeatures = 1020

// openQuestions reads the data set of a run, or writes the embedded one, and makes the features of all its questions
// with the vocabulary that the parameters ask for.
func openQuestions(ctx context.Context, r *manifest.Request) *questionSet {
	builder, vocabErr := openVocab(r.Dataset, r.Params.Text("vocab"))
	paragraphs, remarks, setErr := readParagraphs(r.Dataset)
	if err := errors.Join(vocabErr, setErr); err != nil {
		r.Fault(err)
		return nil
	}
	s := &questionSet{remarks: remarks}
	if err := s.build(ctx, builder, paragraphs); err != nil {
		r.Fault(err)
		return nil
	}
	if n := r.First(len(s.features), "features"); r.Count > 0 {
		s.keep(n)
	}
	return s
}

func readParagraphs(path string) ([]squad.Paragraph, []string, error) {
	if path == "" {
		set := questions.Eval()
		return set.Paragraphs(0, set.Len()), nil, nil
	}
	set, err := squad.Open(path)
	if err != nil {
		return nil, nil, sdk.Data(err)
	}
	return set.Paragraphs(), set.Remarks(), nil
}

// build makes the features of all questions, on all cores.
func (s *questionSet) build(ctx context.Context, b *vocabulary, paragraphs []squad.Paragraph) error {
	parts := make([][]accuracy.Example, len(paragraphs))
	parallel.Each(ctx, len(paragraphs), func(i int) { parts[i] = b.examples(paragraphs[i]) })
	for i, part := range parts {
		s.examples = append(s.examples, part...)
		for _, q := range paragraphs[i].Questions {
			s.asked = append(s.asked, q.Text)
		}
		for _, e := range part {
			s.features = append(s.features, e.Features...)
		}
	}
	if len(s.features) == 0 && ctx.Err() == nil {
		return sdk.Data(fmt.Errorf("%w: no passage has any text", squad.ErrDataset))
	}
	return ctx.Err()
}

// examples are the questions about a passage.
func (v *vocabulary) examples(p squad.Paragraph) []accuracy.Example {
	passage := features.NewPassage(v.tokenizer, p.Context)
	return lists.Map(p.Questions, func(q squad.Question) accuracy.Example {
		return accuracy.Example{ID: q.ID, Answers: q.Texts(), Features: v.builder.Build(passage, q.Text)}
	})
}

// keep drops all features but the first count, and the examples without any of these.
func (s *questionSet) keep(count int) {
	s.features = s.features[:count]
	for i := range s.examples {
		e := &s.examples[i]
		if len(e.Features) >= count {
			e.Features = e.Features[:count]
			s.examples = s.examples[:i+1]
			return
		}
		count -= len(e.Features)
	}
}
