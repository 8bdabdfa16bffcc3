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

// translationWorkload is the benchmark with its model and one data set.
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

// sourceIDs contains the token IDs of a loaded sentence. If it is empty, the translation is empty.
type sourceIDs []int32

func (w *translationWorkload) Len() int     { return len(w.sentences.sources) }
func (w *translationWorkload) Close() error { return nil }

// Load returns the token IDs of sentence i.
func (w *translationWorkload) Load(_ context.Context, i int) (sourceIDs, error) {
	ids, err := w.form.encode(w.sentences.sources[i])
	if err != nil {
		return nil, fmt.Errorf("line %d of the sources: %w", i+1, err)
	}
	return ids, nil
}

// typicalSteps is the typical number of tokens of a translation, and so of runs of the decoder per sample.
const typicalSteps = 25

// Names of a model's parts. optimum exports two decoders; the second one takes past states. Other forms have one
// decoder.
const encoderPart, decoderPart, pastPart = "encoder", "decoder", "decoder_with_past"

// Parts returns the encoder and the decoders. Package generate binds their tensors.
func (w *translationWorkload) Parts() []sdk.Part {
	return []sdk.Part{
		{Name: encoderPart, Model: w.files[encoderPart]},
		{Name: decoderPart, Model: w.files[decoderPart], RunsPerSample: typicalSteps},
		{Name: pastPart, Model: w.files[pastPart], RunsPerSample: typicalSteps, Optional: true},
	}
}

// Prompt returns the source with the search's settings.
func (w *translationWorkload) Prompt(s sourceIDs) (backend.Prompt, error) {
	return w.form.makePrompt(s), nil
}

// SampleSize returns the number of tokens.
func (w *translationWorkload) SampleSize(s sourceIDs) int { return len(s) }

// SizeRule groups sentences of similar length, which reduces padding in the encoder.
func (w *translationWorkload) SizeRule() sdk.SizeRule { return sdk.SizeRule{Alike: true} }

// WarmSample returns a sentence of unknown words.
func (w *translationWorkload) WarmSample() sourceIDs { return make(sourceIDs, 4) }

// PlanSession lets the encoder run while the decoder runs for other sentences. For the embedded model it uses one core
// per session, because sharing a run between cores would take longer than the run itself.
func (w *translationWorkload) PlanSession(_ loadgen.Scenario, c backend.Config) backend.Config {
	c.Concurrency = cmp.Or(c.Concurrency, 2)
	c.LowLatency = w.files[encoderPart].Path != ""
	return c
}

// defaultSentences is the default number of sentences that are searched together.
const defaultSentences = 16

// NewGenerator returns a generator that searches for as many sentences together as the user requests. Each beam needs
// one row.
func (w *translationWorkload) NewGenerator(s sdk.Sessions, c backend.Config) (backend.Generator, error) {
	p := generate.EncoderDecoder{Encoder: s.Part(encoderPart), Decoder: s.Part(decoderPart), Step: s.Part(pastPart)}
	if err := w.checkVocabulary(p.Decoder); err != nil {
		return nil, err
	}
	beams := w.form.makePrompt(nil).Beams
	o := w.form.generatorOptions()
	o.MaxSequences = max(cmp.Or(c.MaxBatch, defaultSentences*beams), beams)
	o.CacheBytes, o.CopyState = w.CacheBytes, w.CopyState
	g, err := generate.NewEncoderDecoder(p, o)
	if err != nil {
		return nil, sdk.Data(err)
	}
	return emptyLineGenerator{g}, nil
}

// checkVocabulary requires the target vocabulary to have the decoder's size, if the decoder specifies one.
func (w *translationWorkload) checkVocabulary(decoder backend.Session) error {
	for _, t := range decoder.Outputs() {
		if t.Name != "logits" || len(t.Shape) == 0 {
			continue
		}
		if size := t.Shape[len(t.Shape)-1]; size >= 0 && size != int64(w.form.vocabularySize()) {
			return sdk.Data(fmt.Errorf("the decoder has %d tokens, the vocabulary of the target language %d: they belong to "+
				"different models (parameter vocabulary)", size, w.form.vocabularySize()))
		}
	}
	return nil
}

// emptyLineGenerator is a generator that answers an empty line with an empty text.
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
	text, err := w.form.decode(t.IDs)
	return append(dst, text...), len(t.IDs), err
}

// AddInfo adds notes about the model's form.
func (w *translationWorkload) AddInfo(info *sdk.WorkloadInfo) { w.form.addInfo(info) }

// ClientWork lists the work with token IDs on the client.
func (w *translationWorkload) ClientWork(_, _ []backend.TensorInfo, _ int) []string {
	return []string{"ids of pieces are made text, as the reference does within the run"}
}
