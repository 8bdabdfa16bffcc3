package rnnt

import (
	"context"
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// run takes clips through the parts. Its memory is used again for the next ones.
type run struct {
	extractor extractor
	tokens    tokens // nil: symbols are labels
	encoder   encoder
	search    search

	memory  [][]float32 // of the features of each clip
	clips   []features
	encoded [][]float32
}

func newRun(w *settings, s sdk.Sessions, f fit) *run {
	f.unknown = int64(slices.Index(w.tokens, unknownToken))
	return &run{
		extractor: w.Form.extractor(f.bins), tokens: w.tokens,
		encoder: encoder{session: s.Part(encoderPart), form: w.Form, bins: f.bins, sharing: f.batches},
		search: search{
			network: w.Form.network(s, f), width: f.width, scored: f.symbols, blank: int64(f.blank), most: w.Form.most,
		},
	}
}

// Run appends the labels that are heard in each clip: int64, little endian.
func (r *run) Run(ctx context.Context, samples []*sample, p *sdk.Payloads) error {
	if err := r.features(samples); err != nil {
		return err
	}
	defer r.encoder.release()
	r.encoded = append(r.encoded[:0], make([][]float32, len(samples))...)
	if err := r.encoder.run(ctx, r.clips, r.encoded); err != nil {
		return err
	}
	if err := r.search.run(ctx, r.encoded); err != nil {
		return err
	}
	for i := range samples {
		symbols := r.search.hypotheses[i].symbols
		if r.tokens != nil {
			var err error
			if symbols, err = r.tokens.labels(symbols); err != nil {
				return err
			}
		}
		p.Append(backend.Bytes(symbols))
	}
	return nil
}

// features makes those of all clips that come as waveforms.
func (r *run) features(samples []*sample) (err error) {
	r.clips = r.clips[:0]
	for i, s := range samples {
		if s.features != nil {
			r.clips = append(r.clips, s.features)
			continue
		}
		if i >= len(r.memory) {
			r.memory = append(r.memory, make([][]float32, len(samples)-len(r.memory))...)
		}
		if r.memory[i], err = r.extractor.Append(r.memory[i][:0], s.waveform); err != nil {
			return fmt.Errorf("features of sample %d of a batch: %w", i, err)
		}
		r.clips = append(r.clips, r.memory[i])
	}
	return nil
}
