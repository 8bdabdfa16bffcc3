package whisper

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/preprocess/audio"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/generate"
)

// The parts of a model: of optimum's two decoders the second is the one with past, which other forms do not have.
const (
	encoderPart = "encoder"
	decoderPart = "decoder"
	pastPart    = "decoder_with_past"
)

// typicalTokens is about how many tokens an answer has, which is how often a decoder runs.
const typicalTokens = 60

// Parts are the encoder and the decoders, whose tensors package generate binds.
func (w *speechWorkload) Parts() []sdk.Part {
	return []sdk.Part{
		{Name: encoderPart, Model: w.files[encoderPart]},
		{Name: decoderPart, Model: w.files[decoderPart], RunsPerSample: typicalTokens},
		{Name: pastPart, Model: w.files[pastPart], RunsPerSample: typicalTokens, Optional: true},
	}
}

// PlanSession asks for one run at a time: sequences that are decoded together do not wait for one another. A user's
// model gets all cores for it; the embedded one takes longer to share than to run.
func (w *speechWorkload) PlanSession(_ loadgen.Scenario, c backend.Config) backend.Config {
	c.Concurrency = max(c.Concurrency, 1)
	c.LowLatency = w.files[encoderPart].Path != ""
	return c
}

// defaultSequences is how many sequences are decoded together where the user does not say.
const defaultSequences = 16

// NewGenerator decodes greedily behind the prompt, with as many sequences together as the user asks for.
func (w *speechWorkload) NewGenerator(s sdk.Sessions, c backend.Config) (backend.Generator, error) {
	if w.vocabulary == nil {
		return nil, sdk.Usage(
			errors.New("parameter tokenizer = server, but the backend runs the model here: give the model's tokenizer"))
	}
	p := generate.EncoderDecoder{
		Encoder: s.Part(encoderPart), Decoder: s.Part(decoderPart), Step: s.Part(pastPart),
	}
	f, err := newSoundFeatures(p.Encoder, w.Mels)
	if err := errors.Join(err, w.checkVocabulary(p.Decoder)); err != nil {
		return nil, sdk.Data(err)
	}
	g, err := generate.NewEncoderDecoder(p, generate.GeneratorOptions{
		MaxSequences: cmp.Or(c.MaxBatch, defaultSequences), CacheBytes: w.Cache, EOS: w.Ends, Start: w.Start,
		PromptTokens: audio.LogMelFrames * cmp.Or(c.MaxBatch, defaultSequences),
		Features:     f.makeFeatures, Source: f.frames / 2, Answer: len(w.Start) + w.MaxTokens, CopyState: w.Copies,
	})
	if err != nil {
		return nil, sdk.Data(err)
	}
	return g, nil
}

// checkVocabulary holds the prompt and the end tokens to the decoder's logits.
func (w *speechWorkload) checkVocabulary(decoder backend.Session) error {
	i := slices.IndexFunc(decoder.Outputs(), func(o backend.TensorInfo) bool { return o.Name == "logits" })
	if i < 0 || len(decoder.Outputs()[i].Shape) == 0 {
		return nil
	}
	shape := decoder.Outputs()[i].Shape
	n := max(shape[len(shape)-1], 0)
	w.width.Store(n)
	for _, id := range w.Ends {
		if n > 0 && int64(id) >= n {
			return fmt.Errorf("the end token is %d, and the decoder has %d tokens: give parameters eos and prompt as its "+
				"vocabulary has them", id, n)
		}
	}
	return nil
}

// maxMels limits the number of mel filters: large-v3 has 128.
const maxMels = 512

// soundFeatures makes what an encoder takes of sound. It may be used from many goroutines.
type soundFeatures struct {
	mels, frames int
	extractors   sync.Pool // of *audio.LogMel
}

// newSoundFeatures reads from an encoder how many filters and frames it takes; what it leaves free is mels, and 30 s.
func newSoundFeatures(encoder backend.Session, mels int) (*soundFeatures, error) {
	f := &soundFeatures{mels: mels, frames: audio.LogMelFrames}
	all := encoder.Inputs()
	i := slices.IndexFunc(all, func(in backend.TensorInfo) bool { return in.Name == "input_features" || in.Name == "mel" })
	if i < 0 {
		return f, fmt.Errorf("encoder: it has inputs %v, want input_features or mel: features of audio", all)
	}
	shape := all[i].Shape
	if len(shape) != 3 || shape[1] > maxMels || shape[2] > audio.LogMelFrames || shape[1] == 0 || shape[2] == 0 {
		return f, fmt.Errorf("encoder: input %v, want float32[N,MELS,FRAMES] of at most %d mels and %d frames", all[i],
			maxMels, audio.LogMelFrames)
	}
	if shape[1] > 0 {
		f.mels = int(shape[1])
	}
	if shape[2] > 0 {
		f.frames = int(shape[2])
	}
	return f, nil
}

// makeFeatures makes the log-mel spectrogram of a clip that is continued by silence up to 30 s, as far as the encoder
// takes it.
func (f *soundFeatures) makeFeatures(samples []float32) (values []float32, shape []int64, err error) {
	m, ok := f.extractors.Get().(*audio.LogMel)
	if !ok {
		m = audio.NewLogMel(f.mels)
	}
	defer f.extractors.Put(m)
	values = m.Append(nil, samples)
	for i := range f.mels {
		copy(values[i*f.frames:][:f.frames], values[i*audio.LogMelFrames:])
	}
	return values[:f.mels*f.frames], []int64{int64(f.mels), int64(f.frames)}, nil
}
