package process

import (
	"io"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// BenchmarkState passes the 8.4 MB that one run produces to the next, like a decoder's state. It compares tensors kept
// in the process with tensors copied through the caller's memory.
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
