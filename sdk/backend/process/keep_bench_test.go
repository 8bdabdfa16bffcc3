package process

import (
	"io"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// BenchmarkState gives what one run makes to the next, 8.4 MB, as a decoder's state is: kept in the process, or by way
// of the caller's memory, which copies it there and back.
func BenchmarkState(b *testing.B) {
	const rows = 7000
	for name, keep := range map[string]bool{"kept": true, "copied": false} {
		b.Run(name, func(b *testing.B) {
			s, err := Backend{Command: command(b, "none"), Output: io.Discard}.Open(b.Context(), doublerModel(),
				backend.Config{Concurrency: 1})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			in := batch(rows)
			b.SetBytes(int64(len(in[1].Data)))
			b.ReportAllocs()
			for b.Loop() {
				out := []backend.Tensor{{KeepOutput: keep}, {}}
				if err := s.Run(b.Context(), in, out); err != nil {
					b.Fatal(err)
				}
				in[1].Release()
				in[1] = out[0]
				out[1].Release()
			}
			in[1].Release()
		})
	}
}
