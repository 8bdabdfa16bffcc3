package rnnt

import (
	"context"
	"fmt"
	"sync"

	"github.com/plumbline-ml/plumbline/preprocess/audio"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

var (
	_ sdk.RunnerOf[*sample] = (*workload)(nil)
	_ sdk.ClientWorker      = (*workload)(nil)
	_ sdk.Informer          = (*workload)(nil)
)

// workload is the benchmark opened on one model and one data set. It takes its samples through the model's parts
// itself (sdk.Runner).
type workload struct {
	settings
	files map[string]backend.Model // by part
	clips clips
	batch int // samples together that the user asks for; 0: none

	probing sync.Once
	probed  fit
	fault   error // of probing
}

func newWorkload(s settings, files map[string]backend.Model, set clips, batch int) *workload {
	return &workload{settings: s, files: files, clips: set, batch: batch}
}

// sample is one clip: its samples, 16,000 a second in -1..1, or its features where these are untimed.
type sample struct {
	waveform []float32
	features []float32 // [frames, 240]
}

// FromFeatures is a sample whose features are known, float32 [frames, 240], for whoever decodes with the
// workload's runs what is no clip.
func FromFeatures(values []float32) sdk.Sample { return &sample{features: values} }

// frames is how many frames of features the clip has.
func (s *sample) frames() int {
	if s.features != nil {
		return len(s.features) / audio.RNNTWidth // of other widths it still grows with the clip
	}
	return audio.RNNTFrames(len(s.waveform))
}

func (w *workload) Len() int { return w.clips.Len() }

// Load reads clip i.
func (w *workload) Load(_ context.Context, i int) (*sample, error) {
	waveform, err := w.clips.Samples(i)
	if err != nil {
		return nil, sdk.Data(fmt.Errorf("clip %d (%s): %w", i, w.clips.Name(i), err))
	}
	s := &sample{waveform: waveform}
	if !w.Untimed {
		return s, nil
	}
	if s.features, err = w.Form.extractor(w.bins()).Append(nil, waveform); err != nil {
		return nil, sdk.Data(fmt.Errorf("clip %d (%s): %w", i, w.clips.Name(i), err))
	}
	s.waveform = nil
	return s, nil
}

// bins is the width of a frame of features, which is known once the parts are open.
func (w *workload) bins() int { return max(w.probed.bins, 1) }

// warmSamples is the length of the clip of the warm-up: three seconds.
const warmSamples = 3 * audio.SampleRate

// WarmSample is a clip of a saw-tooth, which no data set holds.
func (w *workload) WarmSample() *sample {
	s := &sample{waveform: make([]float32, warmSamples)}
	for i := range s.waveform {
		s.waveform[i] = float32(i%100) / 200
	}
	if w.Untimed {
		s.features, _ = w.Form.extractor(w.bins()).Append(nil, s.waveform)
		s.waveform = nil
	}
	return s
}

// SampleSize is the number of frames.
func (w *workload) SampleSize(s *sample) int { return s.frames() }

// together is how many clips a batch has where the user does not say.
const together = 32

// SizeRule joins clips of similar length, which the encoder can read together.
func (w *workload) SizeRule() sdk.SizeRule { return sdk.SizeRule{Alike: true, Batch: together} }

// MaxBatch is the user's or the sdk's choice.
func (w *workload) MaxBatch() int { return 0 }

// NewRun returns the memory of one worker. The first one holds the parts against each other.
func (w *workload) NewRun(s sdk.Sessions) (sdk.RunOf[*sample], error) {
	w.probing.Do(func() { w.probed, w.fault = probe(s, w.Form) })
	if w.fault != nil {
		return nil, w.fault
	}
	return newRun(&w.settings, s, w.probed), nil
}

// ClientWork is never nothing: a model takes features and gives scores of single symbols.
func (w *workload) ClientWork(_, _ []backend.TensorInfo, _ int) []string {
	work := []string{
		"states of the prediction network are kept, and the greatest score of a symbol is looked for (ArgMax), " +
			"symbol by symbol",
	}
	if !w.Untimed {
		work = append(work, "features are made of waveforms")
	}
	return work
}

// Inform says what keeps the run from the closed division, and how clips share runs of the encoder.
func (w *workload) Inform(info *sdk.WorkloadInfo) {
	if info.BackendInfo == nil {
		info.BackendInfo = map[string]string{}
	}
	info.BackendInfo["encoder_batches"] = w.probed.batches.String()
	if w.Position {
		info.BackendInfo["tensors_bound"] = "by position: parameter bind"
	}
	if w.Form.foreign != "" {
		info.OpenReasons = append(info.OpenReasons, w.Form.foreign)
	}
	if w.Untimed {
		info.OpenReasons = append(info.OpenReasons,
			"features are made before the run, untimed (features=untimed): the rules have them made within it")
	}
}

func (w *workload) Close() error { return nil }
