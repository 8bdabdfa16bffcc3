package remote

import (
	"testing"
)

// BenchmarkGather reads rows of 4 KB of a million from one server in this process.
func BenchmarkGather(b *testing.B) {
	server := newFake(b)
	from := newCounted()
	dir := b.TempDir()
	if err := FillServers(b.Context(), dir, []string{server.url}, from, func(string) {}); err != nil {
		b.Fatal(err)
	}
	s, err := Open(b.Context(), dir)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	nodes := make([]uint32, 4*maxPipelinedRows)
	for i := range nodes {
		nodes[i] = uint32(i * 7919 % from.nodes[0].Nodes)
	}
	dst := make([]float32, len(nodes)*width)
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Gather(b.Context(), dst, 0, nodes); err != nil {
			b.Fatal(err)
		}
	}
}
