package dlrm

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/plumbline-ml/plumbline/datasets/criteo"
	"github.com/plumbline-ml/plumbline/internal/synthetic/clicks"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// mustOpen opens a workload of the benchmark.
func mustOpen(t testing.TB, o sdk.Options) *clickWorkload {
	t.Helper()
	w, err := New().Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	own, _ := sdk.As[*clickWorkload](w)
	return own
}

func load(t testing.TB, w *clickWorkload, indices ...int) []*pairRun {
	t.Helper()
	var samples []*pairRun
	for _, i := range indices {
		s, err := w.Load(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		samples = append(samples, s)
	}
	return samples
}

func TestEmbeddedSamplesAreThoseOfTheRules(t *testing.T) {
	w := mustOpen(t, sdk.Options{})
	if w.Len() != drawnSamples {
		t.Errorf("%d samples, want %d", w.Len(), drawnSamples)
	}
	var sizes []int
	for _, s := range load(t, w, 0, 1, 2, 3, 4, 5, 6, 7) {
		sizes = append(sizes, w.SampleSize(s))
	}
	if want := []int{200, 200, 200, 200, 500, 700, 200, 100}; !slices.Equal(sizes, want) {
		t.Errorf("sizes %v, want %v", sizes, want)
	}
}

func TestCountAndBatch(t *testing.T) {
	w := mustOpen(t, sdk.Options{Model: "dlrm", Count: 3, Batch: 500})
	if w.Len() != 3 || w.SizeRule() != (sdk.SizeRule{MaxSum: 500, Batch: 500}) {
		t.Errorf("%d samples, rule %+v", w.Len(), w.SizeRule())
	}
	if warm := w.SampleSize(w.WarmSample()); warm != warmPairs {
		t.Errorf("the warm-up sample has %d pairs, want %d", warm, warmPairs)
	}
	if rule := mustOpen(t, sdk.Options{}).SizeRule(); rule.MaxSum != defaultBatch {
		t.Errorf("rule %+v, want %d pairs", rule, defaultBatch)
	}
}

// collated runs Collate and returns the inputs.
func collated(t *testing.T, w *clickWorkload, samples []*pairRun) []backend.Tensor {
	t.Helper()
	b := sdk.NewBatch(w.Parts()[0].Model.Inputs)
	if err := w.Collate(samples, b); err != nil {
		t.Fatal(err)
	}
	return b.Tensors()
}

// indicesOf are those of pair i of the samples' pairs into a table, by way of the clicks themselves.
func indicesOf(t *testing.T, pair, table int) []int64 {
	t.Helper()
	b := clicks.NewBlock(1)
	if err := clicks.Eval().Read(b, pair); err != nil {
		t.Fatal(err)
	}
	var indices []int64
	for _, v := range b.Sparse[table] {
		indices = append(indices, int64(v))
	}
	return indices
}

// TestBags reads each bag back from the offsets. Samples 7 and 2 begin at pairs 2200 and 400.
func TestBags(t *testing.T) {
	w := mustOpen(t, sdk.Options{Params: map[string]string{"index": "int64"}})
	in := collated(t, w, load(t, w, 7, 2))
	const n = 100 + 200
	offsets, indices := backend.View[int64](in[1].Data), backend.View[int64](in[2].Data)
	if len(offsets) != 26*n+1 || len(indices) != 214*n || offsets[26*n] != 214*n {
		t.Fatalf("%d offsets to %d, %d indices", len(offsets), offsets[len(offsets)-1], len(indices))
	}
	for place, pair := range map[int]int{0: 2200, 99: 2299, 100: 400, 299: 599} {
		for k := range criteo.Tables {
			bag := indices[offsets[k*n+place]:offsets[k*n+place+1]]
			if want := indicesOf(t, pair, k); !slices.Equal(bag, want) {
				t.Fatalf("pair %d, table %d: %v, want %v", pair, k, bag, want)
			}
		}
	}
	b := clicks.NewBlock(1)
	if err := clicks.Eval().Read(b, 400); err != nil {
		t.Fatal(err)
	}
	if dense := backend.View[float32](in[0].Data); !slices.Equal(dense[100*13:101*13], b.Dense) ||
		!slices.Equal(in[0].Shape, []int64{n, 13}) {
		t.Errorf("numbers of shape %v differ", in[0].Shape)
	}
}

// TestASampleAloneIsNotCopied compares with the same sample in a batch of two.
func TestASampleAloneIsNotCopied(t *testing.T) {
	w := mustOpen(t, sdk.Options{Params: map[string]string{"grouping": "3"}})
	s := load(t, w, 5)
	alone, twice := collated(t, w, s), collated(t, w, append(s, s...))
	if unsafe.SliceData(alone[2].Data) != unsafe.SliceData(backend.Bytes(s[0].sparse)) {
		t.Error("the indices are a copy")
	}
	offsets, both := backend.View[int32](alone[1].Data), backend.View[int32](twice[1].Data)
	indices, rows := backend.View[int32](alone[2].Data), backend.View[int32](twice[2].Data)
	for k := range criteo.Tables {
		for i := range 3 {
			bag, want := indices[offsets[3*k+i]:offsets[3*k+i+1]], rows[both[6*k+i]:both[6*k+i+1]]
			if !slices.Equal(bag, want) || !slices.Equal(rows[both[6*k+3+i]:both[6*k+4+i]], want) {
				t.Fatalf("table %d, pair %d: %v, want %v", k, i, bag, want)
			}
		}
	}
	if !bytes.Equal(alone[0].Data, twice[0].Data[:len(alone[0].Data)]) {
		t.Error("numbers differ")
	}
}

func TestListsHoldTheSameAsBags(t *testing.T) {
	bag := mustOpen(t, sdk.Options{Params: map[string]string{"index": "int64"}})
	list := mustOpen(t, sdk.Options{Params: map[string]string{"layout": "lists", "index": "int32"}})
	want, got := collated(t, bag, load(t, bag, 1, 0)), collated(t, list, load(t, list, 1, 0))
	offsets, indices := backend.View[int64](want[1].Data), backend.View[int64](want[2].Data)
	if len(got) != 53 || got[1].Name != "offsets_0" || got[27].Name != "indices_0" || got[52].Name != "indices_25" {
		t.Fatalf("%d inputs", len(got))
	}
	const n = 400
	for k := range criteo.Tables {
		start, end := offsets[k*n], offsets[(k+1)*n]
		own, rows := backend.View[int32](got[1+k].Data), backend.View[int32](got[27+k].Data)
		if len(own) != n || len(rows) != int(end-start) {
			t.Fatalf("table %d: %d offsets, %d indices", k, len(own), len(rows))
		}
		for i, at := range own {
			if int64(at) != offsets[k*n+i]-start {
				t.Fatalf("table %d: offset %d is %d", k, i, at)
			}
		}
		for i, row := range rows {
			if int64(row) != indices[start+int64(i)] {
				t.Fatalf("table %d: index %d is %d", k, i, row)
			}
		}
	}
}

// oneHotDir is a data set of DLRM v1 of n pairs: pair i has label i%2, number j is i+j, and index k is i*k+k.
func oneHotDir(t *testing.T, n int) string {
	t.Helper()
	var rows []int32
	for i := range int32(n) {
		rows = append(rows, i%2)
		for j := range int32(criteo.DenseFeatures) {
			rows = append(rows, i+j)
		}
		for k := range int32(criteo.Tables) {
			rows = append(rows, i*k+k)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "terabyte_processed_test.bin"), backend.Bytes(rows), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

const rowsOfAHundred = "100,100,100,100,100,100,100,100,100,100,100,100,100," +
	"100,100,100,100,100,100,100,100,100,100,100,100,100"

func TestStacked(t *testing.T) {
	w := mustOpen(t, sdk.Options{
		Model: "dlrm", Dataset: oneHotDir(t, 5),
		Params: map[string]string{
			"layout": "stacked", "index": "int64", "grouping": "2", "rows": rowsOfAHundred, "modulus": "100",
		},
	})
	if w.Len() != 3 {
		t.Fatalf("%d samples, want 3", w.Len())
	}
	in := collated(t, w, load(t, w, 2, 1)) // pairs 4, 2 and 3
	for i := 1; i < 3; i++ {
		if !slices.Equal(in[i].Shape, []int64{26, 3}) {
			t.Fatalf("input %d has shape %v", i, in[i].Shape)
		}
	}
	offsets, indices := backend.View[int64](in[1].Data), backend.View[int64](in[2].Data)
	for k := range int64(26) {
		if want := []int64{0, 1, 2}; !slices.Equal(offsets[3*k:3*k+3], want) {
			t.Errorf("table %d: offsets %v, want %v", k, offsets[3*k:3*k+3], want)
		}
		if want := []int64{5 * k % 100, 3 * k, 4 * k % 100}; !slices.Equal(indices[3*k:3*k+3], want) {
			t.Errorf("table %d: indices %v, want %v", k, indices[3*k:3*k+3], want)
		}
	}
	if dense := backend.View[float32](in[0].Data); dense[0] != float32(math.Log(5)) || dense[13] != float32(math.Log(3)) {
		t.Errorf("numbers %v", dense[:14])
	}
}

func TestPostprocess(t *testing.T) {
	w := mustOpen(t, sdk.Options{Model: "dlrm", Dataset: oneHotDir(t, 5),
		Params: map[string]string{"grouping": "2", "rows": rowsOfAHundred, "modulus": "100", "layout": "stacked"}})
	samples := load(t, w, 0, 2)
	out := []backend.Tensor{
		{Name: "pred", DType: backend.Float32, Shape: []int64{3, 1}, Data: backend.Bytes([]float32{0.25, 0.5, 0.75})},
	}
	var p sdk.Payloads
	for range 2 { // the second time in recycled memory
		p.Reset()
		if err := w.Postprocess(out, samples, &p); err != nil {
			t.Fatal(err)
		}
	}
	want := [][]float32{{0.25, 0, 0.5, 1}, {0.75, 0}}
	for i, pairs := range want {
		if got := backend.View[float32](slices.Clone(p.At(i))); !slices.Equal(got, pairs) {
			t.Errorf("payload %d: %v, want %v", i, got, pairs)
		}
	}
}

func TestPostprocessRefuses(t *testing.T) {
	w := mustOpen(t, sdk.Options{Params: map[string]string{"grouping": "2"}})
	samples := load(t, w, 0, 1)
	nan := float32(math.NaN())
	tests := []struct {
		name string
		out  []backend.Tensor
		want string
	}{
		{"no output", nil, "0 outputs, want 1"},
		{"too few", []backend.Tensor{{DType: backend.Float32, Shape: []int64{3}, Data: make([]byte, 12)}},
			"shape [3] for 4 pairs"},
		{"another type", []backend.Tensor{{DType: backend.Int32, Shape: []int64{4}, Data: make([]byte, 16)}}, "is int32"},
		{"not a number", []backend.Tensor{{DType: backend.Float32, Data: backend.Bytes([]float32{0, 0, 0, nan})}},
			"sample 1 of the batch: pair 1: prediction NaN"},
	}
	for _, tt := range tests {
		err := w.Postprocess(tt.out, samples, new(sdk.Payloads))
		if !errors.Is(err, errOutput) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	w := mustOpen(t, sdk.Options{Model: "dlrm", Dataset: oneHotDir(t, 10),
		Params: map[string]string{"grouping": "5", "rows": rowsOfAHundred, "layout": "stacked"}})
	if _, err := w.Load(t.Context(), 0); err == nil { // indices up to 4 * 25 + 25
		t.Error("no error of indices beyond their tables")
	} else if !errors.Is(err, sdk.ErrData) || !strings.Contains(err.Error(), "table 25: 2 faults") ||
		!strings.Contains(err.Error(), "pair 3: index 0 is 100, want 0 to 99") {
		t.Errorf("error %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "trace")
	if err := os.WriteFile(trace, []byte("0, 300000, 300000\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	params := func(pairs ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return m
	}
	tests := []struct {
		name string
		o    sdk.Options
		kind error
		want []string
	}{
		{"every parameter", sdk.Options{
			Count: -1, Batch: -2, Params: params("layout", "x", "index", "float32", "variant", "y", "rows", "1,2,z", "modulus",
				"-1", "seed", "a", "grouping", "0", "more", "1"),
		},
			sdk.ErrUsage, []string{`layout = "x"`, `index = "float32"`, `variant = "y"`, `rows = "1,2,z": 3 numbers, want 26`,
				`"z" of table 2`, `modulus = "-1"`, `seed = "a"`, `grouping = "0"`, `"more"`, "count = -1", "batch = -2"}},
		{"lists without names", sdk.Options{Params: params("layout", "lists", "offsets", "")}, sdk.ErrUsage,
			[]string{`offsets = "": want a name`}},
		{"stacked bags", sdk.Options{Params: params("layout", "stacked")}, sdk.ErrUsage,
			[]string{"one index for each table"}},
		{"count", sdk.Options{Count: 1001}, sdk.ErrUsage, []string{"at most the 1000 samples"}},
		{"folder", sdk.Options{Dataset: t.TempDir()}, sdk.ErrData, []string{"holds neither day_23_dense.npy"}},
		{"trace", sdk.Options{Params: params("trace", trace)}, sdk.ErrData,
			[]string{"goes to pair 300000, and the data set has 271600"}},
		{"no trace", sdk.Options{Params: params("trace", "/nowhere")}, sdk.ErrData, []string{"/nowhere"}},
		{"no quantiles", sdk.Options{Params: params("grouping", "/nowhere")}, sdk.ErrData, []string{"/nowhere"}},
		{"every pair", sdk.Options{
			Model: "dlrm", Dataset: oneHotDir(t, 10),
			Params: params("layout", "stacked", "check", "all", "rows", rowsOfAHundred),
		}, sdk.ErrData, []string{"pair 9: index 0 is 130", "table 11, pair 9: index 0 is 110"}},
		{"check", sdk.Options{Params: params("check", "some")}, sdk.ErrUsage,
			[]string{`check = "some": want one of all, headers`}},
		{"trace nowhere", sdk.Options{Params: params("trace_out", "/nowhere/trace")}, nil, []string{"write trace"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := New().Open(t.Context(), tt.o)
			if err == nil || tt.kind != nil && !errors.Is(err, tt.kind) {
				t.Fatalf("error %v, want %v", err, tt.kind)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q", err, want)
				}
			}
		})
	}
}

// TestTraceIsReadAsWritten groups by a trace of the benchmark's own, and of another seed.
func TestTraceIsReadAsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace")
	first := mustOpen(t, sdk.Options{Params: map[string]string{"trace_out": path, "seed": "7"}})
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := first.samples[0]
	if want := fmt.Sprintf("0, %d, %d\n", r.End, r.End); !strings.HasPrefix(string(text), want) {
		t.Errorf("the trace begins with %.20q, want %q", text, want)
	}
	if second := mustOpen(t, sdk.Options{Params: map[string]string{"trace": path}}); !slices.Equal(second.samples,
		first.samples) {
		t.Error("the samples of the trace are others")
	}
	if drawn := mustOpen(t, sdk.Options{}); slices.Equal(drawn.samples, first.samples) {
		t.Error("seed 7 draws the samples of seed 123")
	}
}

func TestQuantilesFromAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dist_quantile.txt")
	if err := os.WriteFile(path, []byte("50\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if w := mustOpen(t, sdk.Options{
		Params: map[string]string{"grouping": path},
	}); w.samples[1] != (criteo.PairRange{Start: 50, End: 100}) {
		t.Errorf("samples %v", w.samples[:3])
	}
}

func TestClientWork(t *testing.T) {
	for name, c := range map[string]struct {
		clickBinding
		n, want int
	}{
		"a sample as it lies": {clickBinding{IndexType: backend.Int32}, 1, 0},
		"samples joined":      {clickBinding{IndexType: backend.Int32}, 2, 1},
		"converted":           {clickBinding{IndexType: backend.Int64}, 1, 1},
		"copied":              {clickBinding{Layout: listsLayout, IndexType: backend.Int32}, 1, 1},
	} {
		w := &clickWorkload{collator: collator{clickBinding: c.clickBinding}}
		if work := w.ClientWork(nil, nil, c.n); len(work) != c.want {
			t.Errorf("%s: %q, want %d", name, work, c.want)
		}
	}
}

// TestASampleByItselfIsHandedOver compares the inputs of a sample that is shared with those of the same one copied.
func TestASampleByItselfIsHandedOver(t *testing.T) {
	hotness := make([]int, criteo.Tables)
	for k := range hotness {
		hotness[k] = 1 + k%3
	}
	w := &clickWorkload{collator: collator{clickBinding{Layout: bagsLayout, IndexType: backend.Int32},
		newIndexShape(hotness)}}
	s := w.newSample(5)
	for i := range s.sparse {
		s.sparse[i] = int32(i)
	}
	if again := w.newSample(5); &again.bagStarts[0] != &s.bagStarts[0] {
		t.Error("samples of as many pairs have offsets of their own")
	}
	shared, copied := sdk.NewBatch(w.completeModel(backend.Model{}).Inputs),
		sdk.NewBatch(w.completeModel(backend.Model{}).Inputs)
	if err := w.Collate([]*pairRun{s}, shared); err != nil {
		t.Fatal(err)
	}
	plain := *s
	plain.bagStarts = nil
	if err := w.Collate([]*pairRun{&plain}, copied); err != nil {
		t.Fatal(err)
	}
	for i, in := range shared.Tensors() {
		if want := copied.Tensors()[i]; !slices.Equal(in.Shape, want.Shape) || !slices.Equal(in.Data, want.Data) {
			t.Errorf("%s: shape %v, want %v, or other values", in.Name, in.Shape, want.Shape)
		}
	}
}
