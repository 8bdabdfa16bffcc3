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

// speechWorkload is the benchmark with one model and one data set. It implements sdk.Runner, which runs samples through
// the model's parts.
type speechWorkload struct {
	runSettings
	files map[string]backend.Model // by part
	clips clipSet
	batch int // batch size that the user requests; 0: default

	probeOnce sync.Once
	sizes     partSizes
	probeErr  error // error of probing
}

func newSpeechWorkload(s runSettings, files map[string]backend.Model, set clipSet, batch int) *speechWorkload {
	return &speechWorkload{runSettings: s, files: files, clips: set, batch: batch}
}

// clipSample is a clip: its samples at 16,000 Hz in -1..1, or its features if these are untimed.
type clipSample struct {
	waveform []float32
	features []float32 // [frames, 240]
}

// NewFeatureSample returns a sample with the given features, float32 [frames, 240]. Use it to decode features that do
// not come from a clip with the workload's runs.
func NewFeatureSample(values []float32) sdk.Sample { return &clipSample{features: values} }

// frameCount returns the clip's number of feature frames.
func (s *clipSample) frameCount() int {
	if s.features != nil {
		return len(s.features) / audio.RNNTWidth // for other widths, the result is still proportional to the clip's length
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
	if !w.UntimedFeatures {
		return s, nil
	}
	if s.features, err = w.Form.newExtractor(w.featureWidth()).Append(nil, waveform); err != nil {
		return nil, sdk.Data(fmt.Errorf("clip %d (%s): %w", i, w.clips.Name(i), err))
	}
	s.waveform = nil
	return s, nil
}

// featureWidth returns the width of a feature frame, which is known after the parts are opened.
func (w *speechWorkload) featureWidth() int { return max(w.sizes.bins, 1) }

// warmSamples is the length of the warm-up clip: three seconds.
const warmSamples = 3 * audio.SampleRate

// WarmSample returns a clip of a sawtooth wave, which occurs in no data set.
func (w *speechWorkload) WarmSample() *clipSample {
	s := &clipSample{waveform: make([]float32, warmSamples)}
	for i := range s.waveform {
		s.waveform[i] = float32(i%100) / 200
	}
	if w.UntimedFeatures {
		s.features, _ = w.Form.newExtractor(w.featureWidth()).Append(nil, s.waveform)
		s.waveform = nil
	}
	return s
}

// SampleSize returns the number of feature frames.
func (w *speechWorkload) SampleSize(s *clipSample) int { return s.frameCount() }

// defaultBatch is the default number of clips per batch.
const defaultBatch = 32

// SizeRule groups clips of similar length, which the encoder can process together.
func (w *speechWorkload) SizeRule() sdk.SizeRule {
	return sdk.SizeRule{Alike: true, Batch: defaultBatch}
}

// MaxBatch returns 0: the user or the sdk decides.
func (w *speechWorkload) MaxBatch() int { return 0 }

// NewRun returns a run with the memory of one worker. The first call probes the parts.
func (w *speechWorkload) NewRun(s sdk.Sessions) (sdk.RunOf[*clipSample], error) {
	w.probeOnce.Do(func() { w.sizes, w.probeErr = probeParts(s, w.Form) })
	if w.probeErr != nil {
		return nil, w.probeErr
	}
	return newClipRun(&w.runSettings, s, w.sizes), nil
}

// ClientWork lists the work between sound and the model's features, and between its scores and the answer.
func (w *speechWorkload) ClientWork(_, _ []backend.TensorInfo, _ int) []string {
	work := []string{
		"states of the prediction network are kept, and the greatest score of a symbol is looked for (ArgMax), " +
			"symbol by symbol",
	}
	if !w.UntimedFeatures {
		work = append(work, "features are made of waveforms")
	}
	return work
}

// AddInfo adds the reasons why a run does not belong to the closed division, and which clips share runs of the encoder.
func (w *speechWorkload) AddInfo(info *sdk.WorkloadInfo) {
	if info.BackendInfo == nil {
		info.BackendInfo = map[string]string{}
	}
	info.BackendInfo["encoder_batches"] = w.sizes.sharing.String()
	if w.BindByPosition {
		info.BackendInfo["tensors_bound"] = "by position: parameter bind"
	}
	if w.Form.openReason != "" {
		info.OpenReasons = append(info.OpenReasons, w.Form.openReason)
	}
	if w.UntimedFeatures {
		info.OpenReasons = append(info.OpenReasons,
			"features are made before the run, untimed (features=untimed): the rules have them made within it")
	}
}

func (w *speechWorkload) Close() error { return nil }
