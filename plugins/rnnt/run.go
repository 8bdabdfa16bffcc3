package rnnt

import (
	"context"
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// clipRun runs clips through the parts. It reuses its memory.
type clipRun struct {
	extractor featureExtractor
	tokens    tokenTexts // nil: symbols are labels
	encoder   encoderRun
	search    greedySearch

	featureMemory [][]float32 // memory of the features of each clip
	clips         []clipFeatures
	encoded       [][]float32
}

func newClipRun(w *runSettings, s sdk.Sessions, f partSizes) *clipRun {
	f.unknownSymbol = int64(slices.Index(w.tokens, unknownToken))
	return &clipRun{
		extractor: w.Form.newExtractor(f.bins), tokens: w.tokens,
		encoder: encoderRun{session: s.Part(encoderPart), form: w.Form, bins: f.bins, sharing: f.sharing},
		search: greedySearch{
			network: w.Form.newScorer(s, f), width: f.encoderWidth, scored: f.symbols, blank: int64(f.blank),
			maxSymbols: w.Form.maxSymbols,
		},
	}
}

// Run appends the labels recognized in each clip as little-endian int64.
func (r *clipRun) Run(ctx context.Context, samples []*clipSample, p *sdk.Payloads) error {
	if err := r.extractFeatures(samples); err != nil {
		return err
	}
	defer r.encoder.releaseOutputs()
	r.encoded = append(r.encoded[:0], make([][]float32, len(samples))...)
	if err := r.encoder.encodeClips(ctx, r.clips, r.encoded); err != nil {
		return err
	}
	if err := r.search.findSymbols(ctx, r.encoded); err != nil {
		return err
	}
	for i := range samples {
		symbols := r.search.hypotheses[i].symbols
		if r.tokens != nil {
			var err error
			if symbols, err = r.tokens.toLabels(symbols); err != nil {
				return err
			}
		}
		p.Append(backend.Bytes(symbols))
	}
	return nil
}

// extractFeatures computes the features of all clips that are waveforms.
func (r *clipRun) extractFeatures(samples []*clipSample) (err error) {
	r.clips = r.clips[:0]
	for i, s := range samples {
		if s.features != nil {
			r.clips = append(r.clips, s.features)
			continue
		}
		if i >= len(r.featureMemory) {
			r.featureMemory = append(r.featureMemory, make([][]float32, len(samples)-len(r.featureMemory))...)
		}
		if r.featureMemory[i], err = r.extractor.Append(r.featureMemory[i][:0], s.waveform); err != nil {
			return fmt.Errorf("features of sample %d of a batch: %w", i, err)
		}
		r.clips = append(r.clips, r.featureMemory[i])
	}
	return nil
}
