package citations

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/graph"
	"github.com/plumbline-ml/plumbline/datasets/igbh"
)

var update = flag.Bool("update", false, "rewrite testdata/graph.sha256")

// TestTheGraphIsPinned holds every array of the embedded graph: a model was trained on it.
func TestTheGraphIsPinned(t *testing.T) {
	s, sum := All(), sha256.New()
	add := func(values any) {
		if err := binary.Write(sum, binary.LittleEndian, values); err != nil {
			t.Fatal(err)
		}
	}
	for _, edges := range s.Edges() {
		add(edges.(graph.EdgePairs).Values)
	}
	for nodeType, n := range s.Counts() {
		features := make([]float32, n*Width)
		s.Features(features, nodeType, 0)
		add(features)
	}
	for i := range s.Len() {
		add(int32(s.Label(i)))
	}
	_, samples := s.Split()
	add(samples)
	got := fmt.Sprintf("%x\n", sum.Sum(nil))
	if *update {
		if err := os.WriteFile("testdata/graph.sha256", []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/graph.sha256")
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) || len(samples) != EvalCount {
		t.Errorf("%d samples, sum %s want %s", len(samples), got, want)
	}
}

func TestEdgesPreferTheirClass(t *testing.T) {
	s := All()
	for relation, r := range rules() {
		pairs := s.Edges()[relation].(graph.EdgePairs).Values
		alike := 0
		for i := 0; i < len(pairs); i += 2 {
			if s.classes[r.source][pairs[i]] == s.classes[r.destination][pairs[i+1]] {
				alike++
			}
		}
		got, want := 200*alike/len(pairs), r.sameClassPercent+(100-r.sameClassPercent)/Classes
		if got < want-3 || got > want+4 {
			t.Errorf("%s: %d %% of edges join nodes of one class, want %d", r.name, got, want)
		}
	}
}

// TestFilesAreTheGraph reads what is written, and finds the graph and the features that are drawn.
func TestFilesAreTheGraph(t *testing.T) {
	s, dir := All(), t.TempDir()
	if err := igbh.WriteDataset(t.Context(), dir, "tiny", s); err != nil {
		t.Fatal(err)
	}
	set, err := igbh.Open(t.Context(), dir, igbh.GraphOptions{NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	g, err := s.Graph(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if g.EdgeCount() < 80_000 || g.EdgeCount() > 84_000 {
		t.Errorf("%d edges, want about 82,000", g.EdgeCount())
	}
	for r, csc := range g.CSC {
		for v := range uint32(csc.NodeCount()) {
			if !slices.Equal(csc.Sources(v), set.Graph().CSC[r].Sources(v)) {
				t.Fatalf("%s: row %d differs", g.Relations[r].Name, v)
			}
		}
	}
	_, samples := s.Split()
	if !slices.Equal(samples, set.Papers()) || set.Labels()[9] != s.Label(int(samples[9])) {
		t.Error("samples differ")
	}
	checkStores(t, s.Store(), set.Features(), s.Counts())
}

func checkStores(t *testing.T, a, b graph.FeatureStore, counts igbh.NodeCounts) {
	t.Helper()
	for nodeType, n := range counts {
		nodes := []uint32{0, uint32(n - 1), 7}
		x, y := make([]float32, 3*a.Width()), make([]float32, 3*b.Width())
		if err := a.Gather(t.Context(), x, nodeType, nodes); err != nil {
			t.Error(err)
		}
		if err := b.Gather(t.Context(), y, nodeType, nodes); err != nil || !slices.Equal(x, y) {
			t.Errorf("features of type %d differ: %v", nodeType, err)
		}
		for _, err := range []error{
			a.Gather(t.Context(), x, nodeType, []uint32{0, uint32(n), 1}), a.Gather(t.Context(), x, 6, nodes),
			a.Gather(t.Context(), x, 0, nil),
		} {
			if err == nil {
				t.Error("no error of features that are none")
			}
		}
	}
}

func TestALargerGraph(t *testing.T) {
	if c := New(Seed, 10).Counts(); c[igbh.Paper] != 40_000 || c[igbh.Institute] != 800 {
		t.Errorf("nodes %v", c)
	}
}

// BenchmarkGraph makes the graph of 700,000 nodes and 8 million edges.
func BenchmarkGraph(b *testing.B) {
	s := New(Seed, 100)
	counts, edges := s.Counts(), s.Edges()
	b.ReportAllocs()
	for b.Loop() {
		g, err := igbh.NewGraph(b.Context(), counts, edges)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(g.MemoryBytes())/float64(g.EdgeCount()), "bytes/edge")
	}
}
