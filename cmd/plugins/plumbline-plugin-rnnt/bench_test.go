package main

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// timed is a session whose runs are timed.
type timed struct {
	backend.Session
	took time.Duration
	runs int
}

func (s *timed) Run(ctx context.Context, in, out []backend.Tensor) error {
	began := time.Now()
	err := s.Session.Run(ctx, in, out)
	s.took += time.Since(began)
	s.runs++
	return err
}

// BenchmarkClips transcribes the clips of the embedded data set with the embedded model, in batches of clips with
// similar lengths, like Offline. An operation is 128 clips. It reports the share of the time in each part and outside
// of the parts: features, states, the greatest score.
func BenchmarkClips(b *testing.B) {
	for _, features := range []string{"timed", "untimed"} {
		for _, batch := range []int{1, 4, 16, 32, 64} {
			b.Run(fmt.Sprintf("features=%s/batch=%d", features, batch), func(b *testing.B) { clips(b, features, batch) })
		}
	}
}

func clips(b *testing.B, features string, batch int) {
	parts := map[string]*timed{}
	o, err := openTimed(b, sdk.Options{Count: 128, Params: map[string]string{"features": features}}, parts)
	if err != nil {
		b.Fatal(err)
	}
	samples := loaded(b, o)
	for b.Loop() {
		o.payloads(b, samples, batch)
	}
	spent := b.Elapsed().Seconds()
	outside := 1.
	for name, s := range parts {
		share := s.took.Seconds() / spent
		outside -= share
		b.ReportMetric(100*share, name+"-%")
		b.ReportMetric(float64(s.runs)/float64(b.N*len(samples)), name+"-runs/clip")
	}
	b.ReportMetric(100*outside, "outside-%")
	b.ReportMetric(1e3*spent/float64(b.N*len(samples)), "ms/clip")
}
