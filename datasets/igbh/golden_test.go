package igbh

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/graph"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// expectedGraph is what DGL has after the official code loaded a folder.
type expectedGraph struct {
	NodeTypes   []string `json:"node_types"`
	Relations   []string
	Edges       map[string]uint64
	InDegreeMax map[string]int `json:"in_degree_max"`
	AfterLoad   map[string]struct {
		CSCIndptr    string `json:"csc_indptr_sha256"`
		CSCSorted    string `json:"csc_indices_sorted_sha256"`
		CSCLoadOrder string `json:"csc_indices_in_load_order_sha256"`
		CSRIndptr    string `json:"csr_indptr_sha256"`
		CSRSorted    string `json:"csr_indices_sorted_sha256"`
	} `json:"after_load"`
}

func TestGoldenGraph(t *testing.T) {
	golden.Each(t, "graph/*/graph/expected.json", func(t *testing.T, path string) {
		var want expectedGraph
		golden.ReadJSON(t, path, &want)
		s, err := Open(t.Context(), filepath.Join(filepath.Dir(filepath.Dir(path)), "igbh"), GraphOptions{NoCache: true})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if !slices.Equal(TypeNames(), want.NodeTypes) {
			t.Errorf("types %q, want %q", TypeNames(), want.NodeTypes)
		}
		for i, r := range s.Graph().Relations {
			if r.Name != want.Relations[i] {
				t.Fatalf("relation %d is %s, want %s", i, r.Name, want.Relations[i])
			}
			checkRelation(t, s.Graph(), i, &want)
		}
		checkPapers(t, s, filepath.Join(filepath.Dir(filepath.Dir(path)), "val_idx_as_npy.npy"))
	})
}

func checkRelation(t *testing.T, g *graph.Graph, i int, want *expectedGraph) {
	t.Helper()
	name := g.Relations[i].Name
	hashes, c := want.AfterLoad[name], g.CSC[i]
	if got := greatestDegree(c); c.EdgeCount() != want.Edges[name] || got != want.InDegreeMax[name] {
		t.Errorf("%s: %d edges, at most %d; want %d and %d", name, c.EdgeCount(), got, want.Edges[name],
			want.InDegreeMax[name])
	}
	reverse := g.CSC[reverseOf(i)]
	for _, sum := range []struct{ what, got, want string }{
		{"offsets", hashed(offsets(c)), hashes.CSCIndptr}, {"sources, sorted", hashed(sources(c, true)), hashes.CSCSorted},
		{"sources in load order", hashed(sources(c, false)), hashes.CSCLoadOrder},
		{"offsets of CSR", hashed(offsets(reverse)), hashes.CSRIndptr},
		{"destinations of CSR", hashed(sources(reverse, true)), hashes.CSRSorted},
	} {
		if sum.got != sum.want {
			t.Errorf("%s: %s differ", name, sum.what)
		}
	}
}

// reverseOf is the relation of the same edges the other way round: citations are their own.
func reverseOf(i int) int {
	all := loadedRelations()
	return slices.IndexFunc(all, func(r loadedRelation) bool {
		return r.stored == all[i].stored && (r.reverse != all[i].reverse || r.stored == Cites)
	})
}

func greatestDegree(c *graph.CSC) int {
	most := 0
	for v := range c.NodeCount() {
		most = max(most, c.Degree(uint32(v)))
	}
	return most
}

func offsets(c *graph.CSC) []int64 {
	all := []int64{0}
	for v := range c.NodeCount() {
		all = append(all, all[v]+int64(c.Degree(uint32(v))))
	}
	return all
}

func sources(c *graph.CSC, sorted bool) []int64 {
	var all []int64
	for v := range c.NodeCount() {
		row := slices.Clone(c.Sources(uint32(v)))
		if sorted {
			slices.Sort(row)
		}
		for _, s := range row {
			all = append(all, int64(s))
		}
	}
	return all
}

func hashed[T int64 | uint32](values []T) string {
	var data []byte
	for _, v := range values {
		data = binary.LittleEndian.AppendUint64(data, uint64(v))
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// checkPapers compares the samples with an array that NumPy wrote.
func checkPapers(t *testing.T, s *PaperSet, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data = data[10+binary.LittleEndian.Uint16(data[8:]):]
	if len(data) != 8*s.Len() || len(s.Labels()) != s.Len() {
		t.Fatalf("%d papers and %d labels, want %d", s.Len(), len(s.Labels()), len(data)/8)
	}
	for i, paper := range s.Papers() {
		if want := binary.LittleEndian.Uint64(data[8*i:]); uint64(paper) != want {
			t.Errorf("sample %d is paper %d, want %d", i, paper, want)
		}
	}
}

// TestGoldenPapers reads the folders of the scorer's cases, which hold papers and labels alone.
func TestGoldenPapers(t *testing.T) {
	golden.Each(t, "scorers/rgat/*/igbh", func(t *testing.T, path string) {
		s, err := Open(t.Context(), path, GraphOptions{LabelsOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		checkPapers(t, s, filepath.Join(filepath.Dir(path), "val_idx_as_npy.npy"))
	})
}

type expectedSplit struct {
	N           int
	Fraction    float64 `json:"validation_frac"`
	Seed        uint32  `json:"random_seed"`
	Train       int     `json:"n_train"`
	TrainFirst  []uint32
	ValFirst    []uint32 `json:"val_first"`
	Val         string   `json:"val_sha256_int64le"`
	Calibration string   `json:"calibration_first5000_sha256_int64le"`
}

// maxSplitPapers is the largest list that the test permutes whole.
const maxSplitPapers = 10_000_000

func TestGoldenSplit(t *testing.T) {
	golden.Each(t, "graph/split_seeds.json", func(t *testing.T, path string) {
		var want struct{ Cases []expectedSplit }
		golden.ReadJSON(t, path, &want)
		for _, c := range want.Cases {
			if got := hashed(permutationPrefix(c.N, calibrationPapers, c.Seed)); got != c.Calibration {
				t.Errorf("%d papers: the calibration papers differ", c.N)
			}
			if c.N <= maxSplitPapers {
				checkSplit(t, c)
			}
		}
	})
}

func checkSplit(t *testing.T, want expectedSplit) {
	t.Helper()
	train, validation := DrawSplit(want.N, want.Seed, want.Fraction)
	if len(train) != want.Train || !slices.Equal(validation[:len(want.ValFirst)], want.ValFirst) ||
		hashed(validation) != want.Val {
		t.Errorf("%d papers: the split differs: %d for training, validation from %v on", want.N, len(train), validation[:5])
	}
}
