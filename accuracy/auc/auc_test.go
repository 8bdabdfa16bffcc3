package auc

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/accuracy"
)

func f32(values ...float32) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

func i32(values ...int32) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return b
}

func i64(values ...int64) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return b
}

type entry struct {
	index   uint64
	payload []byte
}

func score(t *testing.T, truth Truth, o PayloadOptions, entries ...entry) PairResult {
	t.Helper()
	s, err := New(truth, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := s.Add(e.index, e.payload); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestScorer(t *testing.T) {
	labelled := Truth{Samples: []PairRange{{0, 2}, {2, 3}}, Labels: []uint8{0, 1, 1}}
	negative0 := float32(math.Copysign(0, -1))
	tests := []struct {
		name    string
		truth   Truth
		dtype   accuracy.DType
		entries []entry
		want    string
		dupes   int
	}{
		{"separated", Truth{}, accuracy.Float32, []entry{{0, f32(0.1, 0, 0.9, 1)}, {1, f32(0.2, 0, 0.8, 1)}},
			"AUC=100.000%, accuracy=100.000%, good=4, total=4, queries=2", 0},
		{"reversed", Truth{}, accuracy.Float32, []entry{{0, f32(0.9, 0, 0.1, 1)}},
			"AUC=0.000%, accuracy=0.000%, good=0, total=2, queries=1", 0},
		{"tied", Truth{}, accuracy.Float32, []entry{{0, f32(0.3, 0, 0.3, 1, 0.3, 1)}},
			"AUC=50.000%, accuracy=33.333%, good=1, total=3, queries=1", 0},
		{"both zeros are equal", Truth{}, accuracy.Float32, []entry{{0, f32(0, 0, negative0, 1)}},
			"AUC=50.000%, accuracy=50.000%, good=1, total=2, queries=1", 0},
		{"below zero", Truth{}, accuracy.Float32, []entry{{0, f32(-2, 0, -1, 1, -3, 0, 4, 1)}},
			"AUC=100.000%, accuracy=0.000%, good=0, total=4, queries=1", 0},
		{"half rounds to 0, one and a half to 2", Truth{}, accuracy.Float32,
			[]entry{{0, f32(0.5, 0, 0.5, 1, 1.5, 1, -0.5, 0)}},
			"AUC=87.500%, accuracy=50.000%, good=2, total=4, queries=1", 0},
		{"one class", Truth{}, accuracy.Float32, []entry{{0, f32(0.5, 1, 0.7, 1)}},
			"AUC=nan%, accuracy=50.000%, good=1, total=2, queries=1", 0},
		{"first entry kept", Truth{}, accuracy.Float32, []entry{{5, f32(0, 0, 1, 1)}, {5, f32(1, 0)}, {5, nil}},
			"AUC=100.000%, accuracy=100.000%, good=2, total=2, queries=1", 2},
		{"labels apart", labelled, accuracy.Float32, []entry{{1, f32(0.6)}, {0, f32(0.4, 0.7)}},
			"AUC=100.000%, accuracy=100.000%, good=3, total=3, queries=2", 0},
		{"int32", Truth{}, accuracy.Int32, []entry{{0, i32(math.MinInt32, 0, 1, 1, 2, 0)}},
			"AUC=50.000%, accuracy=33.333%, good=1, total=3, queries=1", 0},
		{"int64", Truth{}, accuracy.Int64, []entry{{0, i64(0, 0, 1, 1)}},
			"AUC=100.000%, accuracy=100.000%, good=2, total=2, queries=1", 0},
		{"int64, labels apart",
			labelled, accuracy.Int64, []entry{{0, i64(0, 0)}}, "AUC=50.000%, accuracy=50.000%, good=1, total=2, queries=1", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := score(t, tt.truth, PayloadOptions{tt.dtype}, tt.entries...)
			if r.String() != tt.want || r.Duplicates != tt.dupes {
				t.Errorf("got %v, %d duplicates; want %s, %d", r, r.Duplicates, tt.want, tt.dupes)
			}
		})
	}
}

func TestUndefined(t *testing.T) {
	r := score(t, Truth{}, PayloadOptions{}, entry{0, f32(0.1, 0, 0.2, 0)})
	if r.Defined() || !math.IsNaN(r.Percent()) || r.Positives != 0 {
		t.Errorf("%+v: want no AUC", r)
	}
}

func TestAddRefuses(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	labelled := Truth{Samples: []PairRange{{0, 2}, {2, 3}}, Labels: []uint8{0, 1, 1}}
	tests := []struct {
		name  string
		truth Truth
		dtype accuracy.DType
		entry entry
		kind  error
		want  []string
	}{
		{"index at the end", labelled, accuracy.Float32, entry{2, f32(1)}, ErrIndex, []string{"sample 2, want one below 2"}},
		{"empty", Truth{}, accuracy.Float32, entry{0, nil}, ErrPayload, []string{"0 bytes, want a multiple of 8 above 0"}},
		{"half a pair", Truth{}, accuracy.Float32, entry{0, f32(1, 1, 1)}, ErrPayload, []string{"12 bytes"}},
		{"int32 read as int64", Truth{}, accuracy.Int64, entry{0, i32(1, 1)}, ErrPayload, []string{"multiple of 16"}},
		{"too few", labelled, accuracy.Float32, entry{0, f32(1)}, ErrPayload, []string{"1 pairs in 4 bytes, want 2 (0 to 2"}},
		{"too many", Truth{Samples: []PairRange{{7, 8}}}, accuracy.Float32, entry{0, f32(1, 1, 0, 0)}, ErrPayload,
			[]string{"2 pairs in 16 bytes, want 1"}},
		{"every fault", Truth{}, accuracy.Float32, entry{3, f32(nan, 1, 0.5, 0.5, inf, 0, 0.5, nan)}, ErrPayload,
			[]string{"sample 3, pair 0: prediction NaN", "pair 1: prediction 0.5, label 0.5",
				"pair 2: prediction -Inf", "pair 3"}},
		{"nan, labels apart", labelled, accuracy.Float32, entry{0, f32(0, nan)}, ErrPayload,
			[]string{"pair 1: prediction NaN"}},
		{"label of int32", Truth{}, accuracy.Int32, entry{0, i32(0, 2, 1, -1)}, ErrPayload,
			[]string{"pair 0: label 2, want 0 or 1", "pair 1: label -1"}},
		{"wide int64", Truth{}, accuracy.Int64, entry{0, i64(1<<40, 1)}, ErrPayload, []string{"want an int32"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := New(tt.truth, PayloadOptions{tt.dtype})
			if err != nil {
				t.Fatal(err)
			}
			err = s.Add(tt.entry.index, tt.entry.payload)
			if !errors.Is(err, tt.kind) {
				t.Fatalf("error %v, want %v", err, tt.kind)
			}
			for _, w := range tt.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("error %v, want it to say %q", err, w)
				}
			}
			if _, err := s.Result(); !errors.Is(err, ErrNoSamples) || s.keys[0].count+s.keys[1].count != 0 {
				t.Errorf("the entry had an effect: %v", err)
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	_, err := New(Truth{Samples: []PairRange{{0, 0}, {-1, 2}, {1, 4}}, Labels: []uint8{0, 1, 2}}, PayloadOptions{})
	if !errors.Is(err, ErrTruth) {
		t.Fatalf("error %v, want ErrTruth", err)
	}
	for _, want := range []string{"sample 0: pairs 0 to 0", "sample 1: pairs -1 to 2",
		"sample 2: pairs 1 to 4, want them among the 3 labels", "label 2 is 2"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want it to say %q", err, want)
		}
	}
	if _, err := New(Truth{Labels: []uint8{1}}, PayloadOptions{}); !errors.Is(err, ErrTruth) {
		t.Errorf("labels without samples: %v, want ErrTruth", err)
	}
	if _, err := New(Truth{}, PayloadOptions{accuracy.DType(99)}); err == nil {
		t.Error("no error for an unknown dtype")
	}
}

func TestParseDType(t *testing.T) {
	for _, d := range []accuracy.DType{accuracy.Float32, accuracy.Int32, accuracy.Int64} {
		if got, err := DTypes().Parse(d.String()); got != d || err != nil {
			t.Errorf("%v: %v, %v", d, got, err)
		}
	}
	if d, err := DTypes().Parse(""); d != accuracy.Float32 || err != nil {
		t.Errorf("empty: %v, %v; want float32", d, err)
	}
	if _, err := DTypes().Parse("float16"); err == nil {
		t.Error("no error for float16")
	}
}

// TestAreaByPairs compares the area with its definition, computed over all pairs of a positive and a negative.
func TestAreaByPairs(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, levels := range []int{1, 2, 10, 1 << 20} {
		var negatives, positives []uint32
		for range 150 {
			negatives = append(negatives, uint32(random.IntN(levels)))
			positives = append(positives, uint32(random.IntN(levels)))
		}
		positives = positives[:70]
		want := 0.0
		for _, p := range positives {
			for _, n := range negatives {
				if p > n {
					want++
				} else if p == n {
					want += 0.5
				}
			}
		}
		slices.Sort(negatives)
		slices.Sort(positives)
		if got := rankArea(negatives, positives); got != want/float64(len(positives)*len(negatives)) {
			t.Errorf("%d levels: %v, want %v", levels, got, want/float64(len(positives)*len(negatives)))
		}
	}
}

// TestSorted sorts lists of several chunks, which several processors sort together.
func TestSorted(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{0, 1, chunkSize, 3*chunkSize + 17} {
		var l keyList
		var want []uint32
		for range n {
			key := random.Uint32() >> random.IntN(32)
			l.add(key)
			want = append(want, key)
		}
		slices.Sort(want)
		if got := l.sortedKeys(); !slices.Equal(got, want) {
			t.Errorf("%d keys are not in order", n)
		}
	}
}

func TestKeysSortAsPredictions(t *testing.T) {
	rising := []float32{-math.MaxFloat32, -1, -1e-40, 0, 1e-45, 0.5, math.Nextafter32(0.5, 1), 1, math.MaxFloat32}
	for i := 1; i < len(rising); i++ {
		if floatKey(rising[i-1]) >= floatKey(rising[i]) {
			t.Errorf("key of %v is not below that of %v", rising[i-1], rising[i])
		}
	}
	if intKey(-5) >= intKey(-4) || intKey(-1) >= intKey(0) || intKey(3) >= intKey(math.MaxInt32) {
		t.Error("keys of ints are not in order")
	}
}

// FuzzAdd checks that no payload crashes the scorer, that a payload is accepted completely or not at all, and that an
// AUC is from 0 to 1.
func FuzzAdd(f *testing.F) {
	f.Add(f32(0.5, 1, 0.2, 0), uint8(0))
	f.Add(i32(1, 1, 0, 0), uint8(1))
	f.Add(i64(1<<50, 1, 0, 7), uint8(2))
	f.Add(f32(float32(math.NaN()), 1), uint8(0))
	f.Fuzz(func(t *testing.T, payload []byte, dtype uint8) {
		s, err := New(Truth{}, PayloadOptions{DTypes()[dtype%3]})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Add(0, payload); err != nil {
			if !errors.Is(err, ErrPayload) || s.keys[0].count+s.keys[1].count != 0 {
				t.Fatalf("error %v, %d keys kept", err, s.keys[0].count+s.keys[1].count)
			}
			return
		}
		r, err := s.Result()
		if err != nil || r.Total != len(payload)/2/DTypes()[dtype%3].Size() || r.Good > r.Total {
			t.Fatalf("%+v of %d bytes, %v", r, len(payload), err)
		}
		if r.Defined() && (r.AUC < 0 || r.AUC > 1) {
			t.Errorf("AUC %v", r.AUC)
		}
	})
}
