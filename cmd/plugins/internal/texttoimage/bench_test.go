package texttoimage

import (
	"context"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/plugins/sdxl"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// timed is a session that measures its runs.
type timed struct {
	backend.Session
	took time.Duration
}

func (s *timed) Run(ctx context.Context, in, out []backend.Tensor) error {
	begun := time.Now()
	defer func() { s.took += time.Since(begun) }()
	return s.Session.Run(ctx, in, out)
}

// BenchmarkOutside makes pictures with the embedded model on one thread and reports the share of the time outside of
// the networks' runs. One operation is one picture.
func BenchmarkOutside(b *testing.B) {
	for _, precision := range []string{"fp32", "int8"} {
		b.Run(precision, func(b *testing.B) {
			b.ReportAllocs()
			w, err := sdxl.New().Open(b.Context(), sdk.Options{Precision: precision})
			if err != nil {
				b.Fatal(err)
			}
			sessions, parts := openTimed(b, w)
			run, err := w.(sdk.Runner).NewRun(sessions)
			if err != nil {
				b.Fatal(err)
			}
			s, err := w.Load(b.Context(), 0)
			if err != nil {
				b.Fatal(err)
			}
			for _, p := range parts {
				p.took = 0
			}
			var payloads sdk.Payloads
			b.ResetTimer()
			for range b.N {
				payloads.Reset()
				if err := run.Run(b.Context(), []sdk.Sample{s}, &payloads); err != nil {
					b.Fatal(err)
				}
			}
			var inside time.Duration
			for _, p := range parts {
				inside += p.took
			}
			b.ReportMetric(100*float64(b.Elapsed()-inside)/float64(b.Elapsed()), "%outside")
			b.ReportMetric(float64((b.Elapsed()-inside).Microseconds())/float64(b.N), "µs-outside/op")
		})
	}
}

func openTimed(b *testing.B, w sdk.Workload) (sdk.Sessions, []*timed) {
	b.Helper()
	library := onnxRuntime(b)
	sessions := sdk.Sessions{}
	var parts []*timed
	for _, p := range w.Parts() {
		s, err := library.Open(b.Context(), p.Model, backend.Config{
			Concurrency: 1, Options: map[string]string{"threads": "1"},
		})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = s.Close() })
		part := &timed{Session: s}
		sessions[p.Name] = part
		parts = append(parts, part)
	}
	return sessions, parts
}
