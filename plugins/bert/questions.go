package bert

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	accuracy "github.com/plumbline-ml/plumbline/accuracy/squad"
	"github.com/plumbline-ml/plumbline/datasets/squad"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/questions"
	"github.com/plumbline-ml/plumbline/preprocess/text/features"
	"github.com/plumbline-ml/plumbline/sdk"
)

// length is the number of positions that the benchmark gives a feature, and those of a payload.
const length = 384

// questionSet is a data set as features. It is read-only.
type questionSet struct {
	examples []accuracy.Example
	features []features.Feature // of all examples, in their order: sample i is feature i
	remarks  []string           // about what is odd in the data set
}

// openQuestions reads the data set at path, or writes the embedded one where path is empty, and makes the features of all its
// questions with the vocabulary that vocab asks for. count keeps the first features only; 0: all.
func openQuestions(ctx context.Context, path, vocab string, count int) (*questionSet, error) {
	var countErr error
	if count < 0 {
		countErr = sdk.Usage(fmt.Errorf("count = %d, want 0 (all) or more", count))
	}
	builder, vocabErr := openVocab(path, vocab)
	paragraphs, remarks, setErr := readParagraphs(path)
	if err := errors.Join(countErr, vocabErr, setErr); err != nil {
		return nil, err
	}
	s := &questionSet{remarks: remarks}
	if err := s.build(ctx, builder, paragraphs); err != nil {
		return nil, err
	}
	if count > len(s.features) {
		return nil, sdk.Usage(fmt.Errorf("count = %d, want at most the %d features of the data set", count, len(s.features)))
	}
	if count > 0 {
		s.keep(count)
	}
	return s, nil
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
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(paragraphs) && ctx.Err() == nil; i = next.Add(1) - 1 {
				parts[i] = b.examples(paragraphs[i])
			}
		})
	}
	workers.Wait()
	for _, part := range parts {
		s.examples = append(s.examples, part...)
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
	list := make([]accuracy.Example, len(p.Questions))
	for i, q := range p.Questions {
		list[i] = accuracy.Example{ID: q.ID, Answers: q.Texts(), Features: v.builder.Build(passage, q.Text)}
	}
	return list
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
