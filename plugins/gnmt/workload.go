package gnmt

import (
	"cmp"
	"context"
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/generate"
)

// translationWorkload is the benchmark opened on its model and one data set.
type translationWorkload struct {
	searchSettings
	files     map[string]backend.Model // by part
	sentences sentencePairs
	form      modelForm
}

var (
	_ sdk.GenerativeOf[sourceIDs] = (*translationWorkload)(nil)
	_ sdk.SessionGenerator        = (*translationWorkload)(nil)
	_ sdk.SessionPlanner          = (*translationWorkload)(nil)
	_ sdk.WorkloadInfoAdder       = (*translationWorkload)(nil)
	_ sdk.ClientWorker            = (*translationWorkload)(nil)
)

// sourceIDs are the ids of a loaded source; none: its translation is empty.
type sourceIDs []int32

func (w *translationWorkload) Len() int     { return len(w.sentences.sources) }
func (w *translationWorkload) Close() error { return nil }

// Load makes ids of sentence i.
func (w *translationWorkload) Load(_ context.Context, i int) (sourceIDs, error) {
	ids, err := w.form.ids(w.sentences.sources[i])
	if err != nil {
		return nil, fmt.Errorf("line %d of the sources: %w", i+1, err)
	}
	return ids, nil
}

// typicalSteps is how many tokens a translation has, more or less: of so many runs of the decoder is a sample.
const typicalSteps = 25

// The parts of a model: of optimum's two decoders the second is the one with past, which other forms do not have.
const encoderPart, decoderPart, pastPart = "encoder", "decoder", "decoder_with_past"

// Parts are the encoder and the decoders, whose tensors package generate binds.
func (w *translationWorkload) Parts() []sdk.Part {
	return []sdk.Part{
		{Name: encoderPart, Model: w.files[encoderPart]},
		{Name: decoderPart, Model: w.files[decoderPart], RunsPerSample: typicalSteps},
		{Name: pastPart, Model: w.files[pastPart], RunsPerSample: typicalSteps, Optional: true},
	}
}

// Prompt is the source with the search's settings.
func (w *translationWorkload) Prompt(s sourceIDs) (backend.Prompt, error) {
	return w.form.prompt(s), nil
}

// SampleSize is the number of tokens.
func (w *translationWorkload) SampleSize(s sourceIDs) int { return len(s) }

// SizeRule has sentences of like length run together: less of what the encoder gives is padding.
func (w *translationWorkload) SizeRule() sdk.SizeRule { return sdk.SizeRule{Alike: true} }

// WarmSample is a sentence of unknown words.
func (w *translationWorkload) WarmSample() sourceIDs { return make(sourceIDs, 4) }

// PlanSession has sentences read beside the steps of others, on one core each where the model is the embedded one: its
// runs take longer to share than to make.
func (w *translationWorkload) PlanSession(_ loadgen.Scenario, c backend.Config) backend.Config {
	c.Concurrency = cmp.Or(c.Concurrency, 2)
	c.LowLatency = w.files[encoderPart].Path != ""
	return c
}

// defaultSentences is how many sentences are searched together where the user does not say.
const defaultSentences = 16

// NewGenerator searches with as many rows together as the user asks for: each beam is one.
func (w *translationWorkload) NewGenerator(s sdk.Sessions, c backend.Config) (backend.Generator, error) {
	p := generate.EncoderDecoder{Encoder: s.Part(encoderPart), Decoder: s.Part(decoderPart), Step: s.Part(pastPart)}
	if err := w.checkVocabulary(p.Decoder); err != nil {
		return nil, err
	}
	beams := w.form.prompt(nil).Beams
	o := w.form.options()
	o.MaxSequences = max(cmp.Or(c.MaxBatch, defaultSentences*beams), beams)
	o.CacheBytes, o.CopyState = w.Cache, w.Copies
	g, err := generate.NewEncoderDecoder(p, o)
	if err != nil {
		return nil, sdk.Data(err)
	}
	return emptyLineGenerator{g}, nil
}

// checkVocabulary holds the target's vocabulary to the decoder's, where that says its size.
func (w *translationWorkload) checkVocabulary(decoder backend.Session) error {
	for _, t := range decoder.Outputs() {
		if t.Name != "logits" || len(t.Shape) == 0 {
			continue
		}
		if size := t.Shape[len(t.Shape)-1]; size >= 0 && size != int64(w.form.size()) {
			return sdk.Data(fmt.Errorf("the decoder has %d tokens, the vocabulary of the target language %d: they belong to "+
				"different models (parameter vocabulary)", size, w.form.size()))
		}
	}
	return nil
}

// emptyLineGenerator is a generator that answers an empty line with nothing.
type emptyLineGenerator struct{ *generate.Generator }

func (t emptyLineGenerator) Generate(ctx context.Context, p backend.Prompt, sink backend.TokenSink) error {
	if len(p.Tokens) == 0 {
		sink.Complete(backend.Tokens{})
		return nil
	}
	return t.Generator.Generate(ctx, p, sink)
}

// AppendTokens appends the translation's text.
func (w *translationWorkload) AppendTokens(dst []byte, _ sourceIDs, t backend.Tokens) ([]byte, int, error) {
	if t.IDs == nil {
		return append(dst, t.Text...), t.N, nil
	}
	text, err := w.form.text(t.IDs)
	return append(dst, text...), len(t.IDs), err
}

// AddInfo says which form the model has.
func (w *translationWorkload) AddInfo(info *sdk.WorkloadInfo) { w.form.inform(info) }

// ClientWork is what becomes of ids here.
func (w *translationWorkload) ClientWork(_, _ []backend.TensorInfo, _ int) []string {
	return []string{"ids of pieces are made text, as the reference does within the run"}
}
