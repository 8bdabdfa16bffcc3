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
	_ sdk.RunnerOf[*clipSample] = (*speechWorkload)(nil)
	_ sdk.ClientWorker          = (*speechWorkload)(nil)
	_ sdk.WorkloadInfoAdder     = (*speechWorkload)(nil)
)

// speechWorkload is the benchmark opened on one model and one data set. It takes its samples through the model's parts
// itself (sdk.Runner).
type speechWorkload struct {
	runSettings
	files map[string]backend.Model // by part
	clips clipSet
	batch int // samples together that the user asks for; 0: none

	probing sync.Once
	probed  partSizes
	fault   error // of probing
}

func newSpeechWorkload(s runSettings, files map[string]backend.Model, set clipSet, batch int) *speechWorkload {
	return &speechWorkload{runSettings: s, files: files, clips: set, batch: batch}
}

// clipSample is one clip: its samples, 16,000 a second in -1..1, or its features where these are untimed.
type clipSample struct {
	waveform []float32
	features []float32 // [frames, 240]
}

// FromFeatures is a sample whose features are known, float32 [frames, 240], for whoever decodes with the
// workload's runs what is no clip.
func FromFeatures(values []float32) sdk.Sample { return &clipSample{features: values} }

// frameCount is the number of frames of features of the clip.
func (s *clipSample) frameCount() int {
	if s.features != nil {
		return len(s.features) / audio.RNNTWidth // of other widths it still grows with the clip
	}
	return audio.RNNTFrames(len(s.waveform))
}

func (w *speechWorkload) Len() int { return w.clips.Len() }

// Load reads clip i.
func (w *speechWorkload) Load(_ context.Context, i int) (*clipSample, error) {
	waveform, err := w.clips.Samples(i)
	if err != nil {
		return nil, sdk.Data(fmt.Errorf("clip %d (%s): %w", i, w.clips.Name(i), err))
	}
	s := &clipSample{waveform: waveform}
	if !w.Untimed {
		return s, nil
	}
	if s.features, err = w.Form.extractor(w.featureWidth()).Append(nil, waveform); err != nil {
		return nil, sdk.Data(fmt.Errorf("clip %d (%s): %w", i, w.clips.Name(i), err))
	}
	s.waveform = nil
	return s, nil
}

// featureWidth is the width of a frame of features, which is known once the parts are open.
func (w *speechWorkload) featureWidth() int { return max(w.probed.bins, 1) }

// warmSamples is the length of the clip of the warm-up: three seconds.
const warmSamples = 3 * audio.SampleRate

// WarmSample is a clip of a saw-tooth, which no data set holds.
func (w *speechWorkload) WarmSample() *clipSample {
	s := &clipSample{waveform: make([]float32, warmSamples)}
	for i := range s.waveform {
		s.waveform[i] = float32(i%100) / 200
	}
	if w.Untimed {
		s.features, _ = w.Form.extractor(w.featureWidth()).Append(nil, s.waveform)
		s.waveform = nil
	}
	return s
}

// SampleSize is the number of frames.
func (w *speechWorkload) SampleSize(s *clipSample) int { return s.frameCount() }

// together is how many clips a batch has where the user does not say.
const together = 32

// SizeRule joins clips of similar length, which the encoder can read together.
func (w *speechWorkload) SizeRule() sdk.SizeRule { return sdk.SizeRule{Alike: true, Batch: together} }

// MaxBatch is the user's or the sdk's choice.
func (w *speechWorkload) MaxBatch() int { return 0 }

// NewRun returns the memory of one worker. The first one holds the parts against each other.
func (w *speechWorkload) NewRun(s sdk.Sessions) (sdk.RunOf[*clipSample], error) {
	w.probing.Do(func() { w.probed, w.fault = probeParts(s, w.Form) })
	if w.fault != nil {
		return nil, w.fault
	}
	return newRun(&w.runSettings, s, w.probed), nil
}

// ClientWork is never nothing: a model takes features and gives scores of single symbols.
func (w *speechWorkload) ClientWork(_, _ []backend.TensorInfo, _ int) []string {
	work := []string{
		"states of the prediction network are kept, and the greatest score of a symbol is looked for (ArgMax), " +
			"symbol by symbol",
	}
	if !w.Untimed {
		work = append(work, "features are made of waveforms")
	}
	return work
}

// AddInfo says what keeps the run from the closed division, and how clips share runs of the encoder.
func (w *speechWorkload) AddInfo(info *sdk.WorkloadInfo) {
	if info.BackendInfo == nil {
		info.BackendInfo = map[string]string{}
	}
	info.BackendInfo["encoder_batches"] = w.probed.batches.String()
	if w.Position {
		info.BackendInfo["tensors_bound"] = "by position: parameter bind"
	}
	if w.Form.openReason != "" {
		info.OpenReasons = append(info.OpenReasons, w.Form.openReason)
	}
	if w.Untimed {
		info.OpenReasons = append(info.OpenReasons,
			"features are made before the run, untimed (features=untimed): the rules have them made within it")
	}
}

func (w *speechWorkload) Close() error { return nil }
