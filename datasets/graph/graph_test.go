package graph

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// drawn are random edges.
func drawn(r *rand.Rand, n, sources, destinations int) EdgePairs {
	values := make([]int64, 2*n)
	for i := range n {
		values[2*i], values[2*i+1] = int64(r.IntN(sources)), int64(r.IntN(destinations))
	}
	return EdgePairs{"drawn", values}
}

// rows is what Build is to make, the plain way.
func rows(p RelationPlan) [][]uint32 {
	all := make([][]uint32, p.Destinations)
	for _, s := range p.Streams {
		values := s.Edges.(EdgePairs).Values
		for i := 0; i < len(values); i += 2 {
			from, to := s.edgeNodes(values[i : i+2])
			if from != to || !s.NoLoops {
				all[to] = append(all[to], uint32(from))
			}
		}
	}
	for v := range all {
		if p.Loops {
			all[v] = append(all[v], uint32(v))
		}
	}
	return all
}

func TestBuild(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	cites := drawn(r, 50_000, 9_000, 9_000)
	for name, p := range map[string]RelationPlan{
		"none":     {Sources: 3, Destinations: 5},
		"no nodes": {},
		"one way":  {Sources: 70, Destinations: 40_000, Streams: []EdgeStream{{Edges: drawn(r, 100_000, 70, 40_000)}}},
		"reverse": {Sources: 4096, Destinations: 8192, Streams: []EdgeStream{{Edges: drawn(r, 30_000, 8192, 4096),
			Reverse: true}}},
		"more than once": {Sources: 2, Destinations: 1, Streams: []EdgeStream{{Edges: drawn(r, chunkEdges+7, 2, 1)}}},
		"citations": {Sources: 9_000, Destinations: 9_000, Loops: true, Streams: []EdgeStream{
			{Edges: cites, NoLoops: true}, {Edges: cites, NoLoops: true, Reverse: true}}},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := p.BuildCSC(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			checkRows(t, c, rows(p))
		})
	}
}

func checkRows(t *testing.T, c *CSC, want [][]uint32) {
	t.Helper()
	edges := 0
	for v, row := range want {
		if got := c.Sources(uint32(v)); !slices.Equal(got, row) || c.Degree(uint32(v)) != len(row) {
			t.Fatalf("row %d: %v, want %v", v, got, row)
		}
		edges += len(row)
	}
	if c.NodeCount() != len(want) || c.EdgeCount() != uint64(edges) {
		t.Errorf("%d nodes and %d edges, want %d and %d", c.NodeCount(), c.EdgeCount(), len(want), edges)
	}
}

type broken struct{ EdgePairs }

func (broken) Read([]int64, int64) error { return errors.New("disk gone") }

func TestBuildRefuses(t *testing.T) {
	wrong := EdgePairs{"cites", []int64{0, 1, 3, 0, -1, 1, 1, 2}}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		ctx  context.Context
		plan RelationPlan
		want []string
	}{
		{t.Context(), RelationPlan{Name: "r", Sources: 3, Destinations: 2, Streams: []EdgeStream{{Edges: wrong}}},
			[]string{"r: 3 faults",
				"cites, edge 1: from node 3 to node 0, want nodes below 3 and 2", "edge 2: from node -1",
				"edge 3: from node 1 to node 2"}},
		{t.Context(), RelationPlan{Name: "r", Sources: 9, Destinations: 9, Streams: []EdgeStream{{Edges: broken{wrong}}}},
			[]string{"cites: edges from 0 on: disk gone"}},
		{t.Context(), RelationPlan{Name: "r", Sources: 1 << 32, Destinations: 1}, []string{"4294967296 sources"}},
		{t.Context(), RelationPlan{Name: "r", Sources: 2, Destinations: 1, Loops: true}, []string{"as many with loops"}},
		{cancelled, RelationPlan{Name: "r", Sources: 2, Destinations: 2}, []string{"canceled"}},
	} {
		_, err := tt.plan.BuildCSC(tt.ctx)
		for _, want := range tt.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		}
	}
}

// small is a graph of two relations.
func small(t *testing.T) *Graph {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	g := &Graph{
		Types:     []NodeType{{"a", 30}, {"b", 5000}},
		Relations: []Relation{{"a_to_b", 0, 1}, {"b_to_a", 1, 0}},
	}
	for _, rel := range g.Relations {
		from, to := g.Types[rel.Source].Nodes, g.Types[rel.Destination].Nodes
		p := RelationPlan{Name: rel.Name, Sources: from, Destinations: to, Streams: []EdgeStream{{Edges: drawn(r, 9000, from,
			to)}}}
		c, err := p.BuildCSC(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		g.CSC = append(g.CSC, c)
	}
	return g
}

func TestCache(t *testing.T) {
	g, path := small(t), filepath.Join(t.TempDir(), "graph")
	if err := g.WriteCache(t.Context(), path, "key"); err != nil {
		t.Fatal(err)
	}
	kept, err := OpenCache(t.Context(), path, "key", g.Types, g.Relations)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range g.CSC {
		want := make([][]uint32, c.NodeCount())
		for v := range want {
			want[v] = c.Sources(uint32(v))
		}
		checkRows(t, kept.CSC[i], want)
	}
	if kept.EdgeCount() != 18000 || kept.MemoryBytes() != g.MemoryBytes() {
		t.Errorf("%d edges in %d bytes", kept.EdgeCount(), kept.MemoryBytes())
	}
	if err := errors.Join(kept.Close(), kept.Close(), g.Close()); err != nil {
		t.Error(err)
	}
	if files, _ := filepath.Glob(path + "*"); len(files) != 1 {
		t.Errorf("left: %q", files)
	}
}

func TestCacheRefuses(t *testing.T) {
	g, path := small(t), filepath.Join(t.TempDir(), "graph")
	if _, err := OpenCache(t.Context(), path, "key", g.Types, g.Relations); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if err := g.WriteCache(t.Context(), path, "key"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	others := []NodeType{{"a", 31}, {"b", 5000}}
	swapped := []Relation{g.Relations[0], {"b_to_a", 0, 0}}
	flipped := slices.Clone(data)
	flipped[len(flipped)-100] ^= 1
	for _, tt := range []struct {
		name      string
		data      []byte
		key       string
		types     []NodeType
		relations []Relation
		want      string
	}{
		{"of other data", data, "other", g.Types, g.Relations, "other data"},
		{"of other nodes", data, "key", others, g.Relations, "other data"},
		{"of other relations", data, "key", g.Types, swapped, "relation 1 is b_to_a"},
		{"a bit flipped", flipped, "key", g.Types, g.Relations, "b_to_a: checksum"},
		{"cut short", data[:len(data)-alignment], "key", g.Types, g.Relations, "b_to_a: "},
		{"cut within the header", data[:40], "key", g.Types, g.Relations, "a header of"},
		{"too long", append(slices.Clone(data), 0), "key", g.Types, g.Relations, "1 bytes after its end"},
		{"empty", nil, "key", g.Types, g.Relations, "does not begin with"},
		{"another header", slices.Replace(slices.Clone(data), 20, 21, 'x'), "key", g.Types, g.Relations, "header is damaged"},
	} {
		if err := os.WriteFile(path, tt.data, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := OpenCache(t.Context(), path, tt.key, tt.types, tt.relations)
		if !errors.Is(err, ErrCache) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	if err := g.WriteCache(t.Context(), filepath.Join(path, "none"), "key"); err == nil {
		t.Error("kept in a folder that is not there")
	}
}

func TestCSCIsCheckedForSense(t *testing.T) {
	for name, c := range map[string]*CSC{
		"a source that is none": {[]uint64{0}, []uint32{0, 1}, []uint32{5}},
		"descending":            {[]uint64{0}, []uint32{0, 2, 1}, []uint32{1, 1}},
		"edges beyond the end":  {[]uint64{0}, []uint32{0, 1}, []uint32{1, 1}},
		"not from 0":            {[]uint64{1}, []uint32{0, 1}, []uint32{1, 1}},
	} {
		if c.isValid(5) {
			t.Errorf("%s passes", name)
		}
	}
}

// FuzzOpenCache holds: a file is a graph, or an error.
func FuzzOpenCache(f *testing.F) {
	types, relations := []NodeType{{"a", 2}}, []Relation{{"r", 0, 0}}
	c, err := RelationPlan{Sources: 2, Destinations: 2, Streams: []EdgeStream{{Edges: EdgePairs{"p", []int64{0, 1, 1,
		1}}}}}.BuildCSC(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	g := &Graph{Types: types, Relations: relations, CSC: []*CSC{c}}
	path := filepath.Join(f.TempDir(), "graph")
	if err := g.WriteCache(f.Context(), path, "k"); err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(data[:30])
	f.Fuzz(func(t *testing.T, data []byte) {
		g := &Graph{Types: types, Relations: relations}
		if g.loadRelations(t.Context(), data, "k") == nil && len(g.CSC[0].Sources(1)) > len(data) {
			t.Error("a row longer than the file")
		}
	})
}

func BenchmarkBuild(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	const nodes, edges = 500_000, 5_000_000
	p := RelationPlan{Sources: nodes, Destinations: nodes, Streams: []EdgeStream{{Edges: drawn(r, edges, nodes, nodes)}}}
	b.ReportAllocs()
	b.SetBytes(16 * edges)
	for b.Loop() {
		if _, err := p.BuildCSC(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
