package igbh

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/graph"
)

// small is a data set of a few nodes. Feature k of node v of type t is 1000*t + 10*v + k.
type small struct {
	counts NodeCounts
	edges  [storedCount][]int64
}

func newSmall() *small {
	return &small{NodeCounts{Author: 5, Conference: 2, FieldOfStudy: 3, Institute: 2, Journal: 2, Paper: 9},
		[storedCount][]int64{
			Affiliated: {0, 1, 4, 0}, Cites: {0, 1, 1, 0, 2, 2, 8, 3}, Published: {3, 1}, Topic: {0, 0, 0, 2, 8, 1},
			Venue: {}, Written: {0, 4, 8, 0, 3, 3},
		}}
}

func (s *small) Counts() NodeCounts { return s.counts }
func (*small) Width() int           { return 4 }
func (*small) Label(p int) int      { return p % 3 }

func (*small) Features(dst []float32, nodeType, first int) {
	for i := range dst {
		dst[i] = float32(1000*nodeType + 10*(first+i/4) + i%4)
	}
}

func (s *small) Edges() (all StoredEdges) {
	for i, r := range storedRelations() {
		all[i] = graph.EdgePairs{ListName: r.folder, Values: s.edges[i]}
	}
	return all
}

func (*small) Split() (train, validation []uint32) { return []uint32{1, 2}, []uint32{8, 0, 3} }

// written is a folder with the data set.
func written(t testing.TB, size string, s *small) (dir, folder string) {
	t.Helper()
	dir = t.TempDir()
	if err := WriteDataset(context.Background(), dir, size, s); err != nil {
		t.Fatal(err)
	}
	return dir, filepath.Join(dir, size, "processed")
}

func TestSetIsReadAsWritten(t *testing.T) {
	dir, folder := written(t, "tiny", newSmall())
	for range 2 { // the second time the graph is the one that was kept
		s, err := Open(t.Context(), dir, GraphOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if s.SaveError() != nil || s.Len() != 3 || !slices.Equal(s.Papers(), []uint32{8, 0, 3}) ||
			!slices.Equal(s.Labels(), []int{2, 0, 0}) {
			t.Errorf("papers %v, labels %v, kept %v", s.Papers(), s.Labels(), s.SaveError())
		}
		g := s.Graph()
		if row := g.CSC[g.RelationIndex("paper__cites__paper")].Sources(1); !slices.Equal(row, []uint32{0, 0, 1}) {
			t.Errorf("paper 1 is cited by %v", row)
		}
		checkGather(t, s.Features())
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if info, err := os.Stat(filepath.Join(folder, cacheName)); err != nil || info.Size() == 0 {
		t.Errorf("the graph was not kept: %v", err)
	}
}

func checkGather(t *testing.T, f graph.FeatureStore) {
	t.Helper()
	dst := make([]float32, 8)
	if err := f.Gather(t.Context(), dst, Author, []uint32{4, 2}); err != nil || f.Width() != 4 ||
		!slices.Equal(dst, []float32{40, 41, 42, 43, 20, 21, 22, 23}) {
		t.Errorf("features %v: %v", dst, err)
	}
	if err := f.Gather(t.Context(), nil, Author, nil); err != nil {
		t.Error(err)
	}
	for _, bad := range []struct {
		nodeType int
		nodes    []uint32
	}{{Author, []uint32{4, 5}}, {typeCount, []uint32{0, 0}}, {Author, []uint32{0}}} {
		if err := f.Gather(t.Context(), dst, bad.nodeType, bad.nodes); !errors.Is(err, ErrDataset) {
			t.Errorf("error %v", err)
		}
	}
}

// TestRawMemory reads papers, authors and labels without headers, as large and full have them.
func TestRawMemory(t *testing.T) {
	dir, folder := written(t, "full", newSmall())
	for _, name := range []string{"paper/node_feat.npy", "author/node_feat.npy", "paper/node_label_2K.npy"} {
		path := filepath.Join(folder, name)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, data[10+int(binary.LittleEndian.Uint16(data[8:])):])
	}
	s, err := Open(t.Context(), dir, GraphOptions{Size: "full", NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Graph().Types[Author].Nodes != 5 || s.Graph().Types[Paper].Nodes != 9 || s.Labels()[0] != 2 {
		t.Errorf("types %v, labels %v", s.Graph().Types, s.Labels())
	}
	checkGather(t, s.Features())
	write(t, filepath.Join(folder, "paper/node_feat.npy"), make([]byte, 9*16+4))
	_, err = Open(t.Context(), dir, GraphOptions{NoCache: true})
	wantAll(t, err, "paper/node_feat.npy: 148 bytes without a header are not whole nodes of 4 features")
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func wantAll(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !errors.Is(err, ErrDataset) || !strings.Contains(filepath.ToSlash(err.Error()), part) {
			t.Errorf("error %v, want %q", err, part)
		}
	}
}

func TestWithoutPapersTheSplitIsDrawn(t *testing.T) {
	dir, folder := written(t, "tiny", newSmall())
	if err := os.Remove(filepath.Join(folder, "val_idx.pt")); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), dir, GraphOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Len() != 0 { // int(9 * 0.005)
		t.Errorf("papers %v", s.Papers())
	}
}

// header is the start of a .npy file.
func header(t testing.TB, dtype string, rows, columns int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := writeHeader(&b, dtype, rows, columns); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestOpenRefuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(t *testing.T, folder string)
		want   []string
	}{
		{"a missing relation and a missing type", func(t *testing.T, folder string) {
			if err := errors.Join(os.RemoveAll(filepath.Join(folder, "paper__topic__fos")),
				os.RemoveAll(filepath.Join(folder, "fos"))); err != nil {
				t.Fatal(err)
			}
		}, []string{"paper__topic__fos/edge_index.npy: open", "fos/node_feat.npy: open"}},
		{"int32 edges", func(t *testing.T, folder string) {
			write(t, filepath.Join(folder, "paper__cites__paper/edge_index.npy"), append(header(t, "<i4", 1, 2), make([]byte,
				8)...))
		}, []string{"paper__cites__paper/edge_index.npy: an array of <i4 [1 2], want <i8 in C order"}},
		{"edges of one list", func(t *testing.T, folder string) {
			write(t, filepath.Join(folder, "paper__cites__paper/edge_index.npy"), append(header(t, "<i8", 2, 0), make([]byte,
				16)...))
		}, []string{"an array of <i8 [2], want one of [edges 2]"}},
		{"another width", func(t *testing.T, folder string) {
			write(t, filepath.Join(folder, "journal/node_feat.npy"), append(header(t, "<f4", 2, 5), make([]byte, 40)...))
		}, []string{"journal/node_feat.npy: 5 features of a node, and of other types 4"}},
		{"a header that lies", func(t *testing.T, folder string) {
			write(t, filepath.Join(folder, "journal/node_feat.npy"), append(header(t, "<f4", 1<<40, 4), make([]byte, 32)...))
		}, []string{"needs 17592186044416 bytes, and there are 32"}},
		{"no header in a small size", func(t *testing.T, folder string) {
			write(t, filepath.Join(folder, "paper/node_feat.npy"), make([]byte, 9*16))
		}, []string{"paper/node_feat.npy: NumPy file: it starts with"}},
		{"labels beyond the classes", func(t *testing.T, folder string) {
			labels := []float32{0.5, 0, 0, 2983, 0, 0, 0, 0, -1}
			data, _ := binary.Append(header(t, "<f4", 9, 0), binary.LittleEndian, labels)
			write(t, filepath.Join(folder, "paper/node_label_2K.npy"), data)
		}, []string{"paper 8 (sample 0) has label -1, want a class of 0 to 2982", "paper 0 (sample 1) has label 0.5",
			"paper 3 (sample 2) has label 2983"}},
		{"labels of fewer papers", func(t *testing.T, folder string) {
			write(t, filepath.Join(folder, "paper/node_label_2K.npy"), append(header(t, "<f4", 8, 0), make([]byte, 32)...))
		}, []string{"paper 8 (sample 0) has no label: there are 8"}},
		{"papers that are none", func(t *testing.T, folder string) {
			var b bytes.Buffer
			if err := writeTorchTensor(&b, "val_idx", []uint32{0, 9}); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(folder, "val_idx.pt"), b.Bytes())
		}, []string{"val_idx.pt: number 1 is paper 9, want one of 0 to 8"}},
		{"no file of torch", func(t *testing.T, folder string) { write(t, filepath.Join(folder, "val_idx.pt"), []byte("x")) },
			[]string{"val_idx.pt: it is not a file of torch.save"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, folder := written(t, "tiny", newSmall())
			tt.change(t, folder)
			_, err := Open(t.Context(), dir, GraphOptions{})
			wantAll(t, err, tt.want...)
		})
	}
}

func TestEdgesBeyondTheNodes(t *testing.T) {
	s := newSmall()
	s.edges[Written] = []int64{0, 5, 9, 0, 1, 1}
	dir, _ := written(t, "tiny", s)
	_, err := Open(t.Context(), dir, GraphOptions{})
	wantAll(t, err, "2 faults", "paper__written_by__author, edge 0: from node 5 to node 0, want nodes below 5 and 9",
		"edge 1")
}

// elsewhere are features that are in no file of the data set.
type elsewhere struct {
	graph.FeatureStore
	nodes []graph.NodeType
}

func (e elsewhere) Types() []graph.NodeType { return e.nodes }

// TestFeaturesElsewhere needs no files of features, and refuses those of other data.
func TestFeaturesElsewhere(t *testing.T) {
	dir, folder := written(t, "tiny", newSmall())
	for _, name := range TypeNames() {
		if err := os.Remove(filepath.Join(folder, name, "node_feat.npy")); err != nil {
			t.Fatal(err)
		}
	}
	good := elsewhere{nodes: newSmall().counts.NodeTypes()}
	s, err := Open(t.Context(), dir, GraphOptions{Features: good})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Len() != 3 || s.Graph().Types[Author].Nodes != 5 || s.Features().Types()[Paper].Nodes != 9 {
		t.Errorf("%d papers, types %v", s.Len(), s.Graph().Types)
	}
	more := newSmall().counts
	more[Paper]++
	_, err = Open(t.Context(), dir, GraphOptions{Features: elsewhere{nodes: more.NodeTypes()}})
	wantAll(t, err, "paper/node_label_2K.npy: 9 labels, and features of 10 papers")
	_, err = Open(t.Context(), dir, GraphOptions{Features: elsewhere{nodes: good.nodes[1:]}})
	wantAll(t, err, "features of the node types [conference fos institute journal paper], want [author")
}

func TestSizes(t *testing.T) {
	dir, _ := written(t, "tiny", newSmall())
	if err := WriteDataset(t.Context(), dir, "small", newSmall()); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "file")
	write(t, file, nil)
	for _, tt := range []struct{ dir, size, want string }{
		{dir, "", "it holds sizes tiny, small: say which"}, {dir, "huge", `unknown size "huge", want one of tiny`},
		{dir, "full", "it holds no full/processed"}, {t.TempDir(), "", "it holds no SIZE/processed"}, {file, "",
			"it is a file"},
	} {
		_, err := Open(t.Context(), tt.dir, GraphOptions{Size: tt.size})
		wantAll(t, err, tt.want)
	}
}

// TestAKeptGraphOfOtherEdgesIsMadeAgain puts the graph of one data set beside another of the same shape.
func TestAKeptGraphOfOtherEdgesIsMadeAgain(t *testing.T) {
	dir, folder := written(t, "tiny", newSmall())
	other := newSmall()
	other.edges[Cites][1] = 4
	otherDir, otherFolder := written(t, "tiny", other)
	for _, d := range []string{dir, otherDir} {
		if _, err := Open(t.Context(), d, GraphOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(filepath.Join(otherFolder, cacheName))
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range [][]byte{data, data[:100], nil} {
		write(t, filepath.Join(folder, cacheName), wrong)
		s, err := Open(t.Context(), dir, GraphOptions{})
		if err != nil || s.SaveError() != nil {
			t.Fatal(err, s.SaveError())
		}
		if row := s.Graph().CSC[s.Graph().RelationIndex("paper__cites__paper")].Sources(4); !slices.Equal(row, []uint32{4}) {
			t.Errorf("paper 4 is cited by %v: the graph is another's", row)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAGraphThatCannotBeKept(t *testing.T) {
	dir, _ := written(t, "tiny", newSmall())
	s, err := Open(t.Context(), dir, GraphOptions{CachePath: filepath.Join(dir, "none", "graph")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.SaveError() == nil || s.Graph().EdgeCount() == 0 {
		t.Errorf("kept fault %v", s.SaveError())
	}
}

// torchFile is a file of torch.save with this pickle.
func torchFile(t testing.TB, pickle string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "val_idx.pt")
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range map[string]string{"a/data.pkl": pickle, "a/data/0": strings.Repeat("\x00", 16)} {
		f, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, path, b.Bytes())
	return path
}

func TestTorchFilesAreReadSafely(t *testing.T) {
	good := string(tensorPickle(2))
	if ids, err := readPaperNumbers(torchFile(t, good), 5); err != nil || !slices.Equal(ids, []uint32{0, 0}) {
		t.Errorf("%v, %v", ids, err)
	}
	for name, tt := range map[string]struct{ pickle, want string }{
		"other elements": {strings.Replace(good, "LongStorage", "FloatStorage", 1), "not those of torch.LongStorage"},
		"a call":         {"cos\nsystem\n(X\x02\x00\x00\x00lstR.", `names "os.system"`},
		"a view":         {strings.Replace(good, "K\x00J", "K\x01J", 1), "from element 1 of 2 on: want one whole tensor"},
		"strides":        {strings.Replace(good, "K\x01\x85", "K\x02\x85", 1), "strides [2]"},
		"a matrix":       {strings.Replace(good, "\x85K\x01\x85", "K\x01\x86K\x01K\x01\x86", 1), "[2 1], want one list"},
		"cut short":      {good[:40], "truncated"},
		"other code":     {"\x80\x02i.", "operation 0x69"},
		"nothing":        {".", "too little on the stack"},
		"another length": {string(tensorPickle(3)), "16 bytes for 3 numbers"},
	} {
		if _, err := readPaperNumbers(torchFile(t, tt.pickle), 5); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}
