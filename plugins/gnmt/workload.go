package gnmt

import (
	"context"
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/preprocess/text/subword"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/generate"
)

// workload is the benchmark opened on its model and one data set.
type workload struct {
	settings
	files      map[string]backend.Model // by part
	sentences  sentences
	vocabulary vocabularies
}

var (
	_ sdk.GenerativeOf[sentence] = (*workload)(nil)
	_ sdk.SessionGenerator       = (*workload)(nil)
	_ sdk.SessionPlanner         = (*workload)(nil)
	_ sdk.ClientWorker           = (*workload)(nil)
)

// sentence is a loaded source: ids, none for an empty line.
type sentence []int32

func newWorkload(s settings, files map[string]backend.Model, text sentences, v vocabularies) *workload {
	return &workload{settings: s, files: files, sentences: text, vocabulary: v}
}

func (w *workload) Len() int     { return len(w.sentences.sources) }
func (w *workload) Close() error { return nil }

// Load makes ids of sentence i.
func (w *workload) Load(_ context.Context, i int) (sentence, error) {
	return w.vocabulary.source.IDs(w.sentences.sources[i]), nil
}

// typicalSteps is how many tokens a translation has, more or less: of so many runs of the decoder is a sample.
const typicalSteps = 25

// Parts are the encoder and the decoder, whose tensors package generate binds.
func (w *workload) Parts() []sdk.Part {
	return []sdk.Part{
		{Name: "encoder", Model: w.files["encoder"]},
		{Name: "decoder", Model: w.files["decoder"], RunsPerSample: typicalSteps},
	}
}

// Prompt is the source with the search's settings. The most steps are twice the source's tokens.
func (w *workload) Prompt(s sentence) (backend.Prompt, error) {
	return backend.Prompt{
		Tokens: s, MaxNewTokens: 2 * len(s), EOS: []int32{subword.End}, PadToken: subword.End,
		Beams: w.beams, LengthPenalty: w.penalty,
	}, nil
}

// SampleSize is the number of tokens.
func (w *workload) SampleSize(s sentence) int { return len(s) }

// SizeRule has sentences of like length run together: less of what the encoder gives is padding.
func (w *workload) SizeRule() sdk.SizeRule { return sdk.SizeRule{Alike: true} }

// WarmSample is a sentence of unknown words.
func (w *workload) WarmSample() sentence { return make(sentence, 4) }

// PlanSession has sentences read beside the steps of others, on one core each where the model is the embedded one: its
// runs take longer to share than to make.
func (w *workload) PlanSession(_ loadgen.Scenario, c backend.Config) backend.Config {
	if c.Concurrency == 0 {
		c.Concurrency = 2
	}
	c.LowLatency = w.files["encoder"].Path != ""
	return c
}

// defaultSentences is how many sentences are searched together where the user does not say.
const defaultSentences = 16

// NewGenerator searches with as many rows together as the user asks for: each beam is one.
func (w *workload) NewGenerator(s sdk.Sessions, c backend.Config) (backend.Generator, error) {
	rows := c.MaxBatch
	if rows == 0 {
		rows = defaultSentences * w.beams
	}
	if err := w.checkVocabulary(s.Part("decoder")); err != nil {
		return nil, err
	}
	g, err := generate.NewEncoderDecoder(
		generate.EncoderDecoder{Encoder: s.Part("encoder"), Decoder: s.Part("decoder")},
		generate.Options{
			MaxSequences: max(rows, w.beams), CacheBytes: w.cache, Start: []int32{subword.Start}, Beams: w.rule,
			CopyState: w.copies,
		})
	if err != nil {
		return nil, err
	}
	return translator{g}, nil
}

// checkVocabulary holds the target's vocabulary to the decoder's, where that says its size.
func (w *workload) checkVocabulary(decoder backend.Session) error {
	for _, t := range decoder.Outputs() {
		if t.Name != "logits" || len(t.Shape) == 0 {
			continue
		}
		if size := t.Shape[len(t.Shape)-1]; size >= 0 && size != int64(w.vocabulary.target.Len()) {
			return sdk.Data(fmt.Errorf("the decoder has %d tokens, the vocabulary of the target language %d: they belong to "+
				"different models (parameter vocabulary)", size, w.vocabulary.target.Len()))
		}
	}
	return nil
}

// translator is a generator that has nothing to say of an empty line.
type translator struct{ *generate.Generator }

func (t translator) Generate(ctx context.Context, p backend.Prompt, sink backend.TokenSink) error {
	if len(p.Tokens) == 0 {
		sink.Complete(backend.Tokens{})
		return nil
	}
	return t.Generator.Generate(ctx, p, sink)
}

// AppendTokens appends the translation's text.
func (w *workload) AppendTokens(dst []byte, _ sentence, t backend.Tokens) ([]byte, int, error) {
	if t.IDs == nil {
		return append(dst, t.Text...), t.N, nil
	}
	return append(dst, w.vocabulary.target.Text(t.IDs)...), len(t.IDs), nil
}

// ClientWork is what becomes of ids here.
func (w *workload) ClientWork(_, _ []backend.TensorInfo, _ int) []string {
	return []string{"ids of pieces are made text, as the reference does within the run"}
}
