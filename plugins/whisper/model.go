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

// Names of a model's parts. optimum exports two decoders; the second one takes past states. Other forms have one
// decoder.
const (
	encoderPart = "encoder"
	decoderPart = "decoder"
	pastPart    = "decoder_with_past"
)

// typicalTokens is the typical number of tokens in an answer, and so of runs of a decoder.
const typicalTokens = 60

// Parts returns the encoder and the decoders. Package generate binds their tensors.
func (w *speechWorkload) Parts() []sdk.Part {
	return []sdk.Part{
		{Name: encoderPart, Model: w.files[encoderPart]},
		{Name: decoderPart, Model: w.files[decoderPart], RunsPerSample: typicalTokens},
		{Name: pastPart, Model: w.files[pastPart], RunsPerSample: typicalTokens, Optional: true},
	}
}

// PlanSession requests one run at a time, because sequences that are decoded together do not wait for each other. A
// user's model gets all cores for it. The embedded model gets one, because sharing a run takes longer than the run
// itself.
func (w *speechWorkload) PlanSession(_ loadgen.Scenario, c backend.Config) backend.Config {
	c.Concurrency = max(c.Concurrency, 1)
	c.LowLatency = w.files[encoderPart].Path != ""
	return c
}

// defaultSequences is the default number of sequences that are decoded together.
const defaultSequences = 16

// NewGenerator returns a generator that decodes greedily after the prompt. c determines the number of concurrent
// sequences.
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
		MaxSequences: cmp.Or(c.MaxBatch, defaultSequences), CacheBytes: w.CacheBytes, EOS: w.EndIDs, Start: w.PromptIDs,
		PromptTokens: audio.LogMelFrames * cmp.Or(c.MaxBatch, defaultSequences),
		Features:     f.makeFeatures, Source: f.frames / 2, Answer: len(w.PromptIDs) + w.MaxTokens, CopyState: w.CopyState,
	})
	if err != nil {
		return nil, sdk.Data(err)
	}
	return g, nil
}

// checkVocabulary requires the prompt and the end tokens to be within the decoder's logits.
func (w *speechWorkload) checkVocabulary(decoder backend.Session) error {
	i := slices.IndexFunc(decoder.Outputs(), func(o backend.TensorInfo) bool { return o.Name == "logits" })
	if i < 0 || len(decoder.Outputs()[i].Shape) == 0 {
		return nil
	}
	shape := decoder.Outputs()[i].Shape
	n := max(shape[len(shape)-1], 0)
	w.logitCount.Store(n)
	for _, id := range w.EndIDs {
		if n > 0 && int64(id) >= n {
			return fmt.Errorf("the end token is %d, and the decoder has %d tokens: give parameters eos and prompt as its "+
				"vocabulary has them", id, n)
		}
	}
	return nil
}

// maxMels limits the number of mel filters; large-v3 has 128.
const maxMels = 512

// soundFeatures computes an encoder's features of sound. It may be used from many goroutines.
type soundFeatures struct {
	mels, frames int
	extractors   sync.Pool // of *audio.LogMel
}

// newSoundFeatures reads the number of mel filters and frames from an encoder. The defaults for free dimensions are
// defaultMels and the frames of 30 s.
func newSoundFeatures(encoder backend.Session, defaultMels int) (*soundFeatures, error) {
	f := &soundFeatures{mels: defaultMels, frames: audio.LogMelFrames}
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

// makeFeatures computes the log-mel spectrogram of a clip padded with silence to 30 s, or to the encoder's number of
// frames.
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
