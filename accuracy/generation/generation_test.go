package generation

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/preprocess/text/punkt"
)

// words decodes the id n as the word "wn".
type words struct{ size int32 }

func (w words) Decode(ids []int32) (string, error) {
	var b strings.Builder
	for i, id := range ids {
		if id < 0 || id >= w.size {
			return "", fmt.Errorf("%d at place %d is no id", id, i)
		}
		fmt.Fprintf(&b, "w%d ", id)
	}
	return b.String(), nil
}

func encoded(d accuracy.DType, ids ...int64) (p []byte) {
	for _, id := range ids {
		switch d {
		case accuracy.Int64:
			p = binary.LittleEndian.AppendUint64(p, uint64(id))
		case accuracy.Int32:
			p = binary.LittleEndian.AppendUint32(p, uint32(id))
		case accuracy.Float32:
			p = binary.LittleEndian.AppendUint32(p, math.Float32bits(float32(id)))
		}
	}
	return p
}

func newScorer(d accuracy.DType, references ...string) *AnswerScorer {
	return New(CompareOptions{DType: d, Decoder: words{100}, Splitter: punkt.NewSplitter(punkt.English()),
		References: references})
}

func TestResult(t *testing.T) {
	for _, d := range []accuracy.DType{accuracy.Int64, accuracy.Int32, accuracy.Float32} {
		s := newScorer(d, "w1 w2", "w3", "w4")
		for _, e := range []struct {
			index uint64
			ids   []int64
		}{{1, []int64{3}}, {0, []int64{1, 3, 5}}, {1, []int64{99}}} {
			if err := s.Add(e.index, encoded(d, e.ids...)); err != nil {
				t.Fatal(err)
			}
		}
		r, err := s.Result()
		if err != nil {
			t.Fatal(err)
		}
		const want = "{'rouge1': 70.0, 'rouge2': 0.0, 'rougeL': 70.0, 'rougeLsum': 70.0, 'gen_len': 10, 'gen_num': 2, " +
			"'gen_tok_len': 4, 'tokens_per_sample': 2.0}"
		if r.String() != want || r.Missing != 1 || r.Duplicates != 1 {
			t.Errorf("%v: %v, want %s", d, r, want)
		}
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name    string
		index   uint64
		payload []byte
		is      error
		says    string
	}{
		{"beyond the data set", 2, nil, ErrIndex, "sample 2, want one below 2"},
		{"a part of an id", 0, make([]byte, 12), ErrPayload, "12 bytes, want a multiple of 8 for int64"},
		{"beyond the vocabulary", 1, encoded(accuracy.Int64, 5, 100), ErrPayload, "sample 1, read as int64: 100 at place 1"},
		{"negative", 1, encoded(accuracy.Int64, -5), ErrPayload, "-1 at place 0"},
		{"beyond 32 bits", 1, encoded(accuracy.Int64, 1<<32+5), ErrPayload, "-1 at place 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScorer(accuracy.Int64, "a", "b")
			if err := s.Add(c.index, c.payload); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want one that says %q", err, c.says)
			}
			if _, err := s.Result(); !errors.Is(err, ErrNoSamples) {
				t.Errorf("the entry has an effect: %v", err)
			}
		})
	}
}

func TestFloatsThatAreNoIDs(t *testing.T) {
	for _, v := range []float64{-1, 1e10} {
		ids, err := AppendIDs(nil, accuracy.Float32, binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v))))
		if err != nil || len(ids) != 1 || ids[0] != -1 {
			t.Errorf("%v: %v, %v", v, ids, err)
		}
	}
}

func TestParseDType(t *testing.T) {
	for name, want := range map[string]accuracy.DType{"": accuracy.Int64, "int64": accuracy.Int64, "int32": accuracy.Int32,
		"float": accuracy.Float32, "float32": accuracy.Float32} {
		if got, err := ParseDType(name); got != want || err != nil {
			t.Errorf("%q: %v, %v", name, got, err)
		}
	}
	if _, err := ParseDType("int8"); err == nil || !strings.Contains(err.Error(), "int64, int32, float") {
		t.Errorf("int8: %v", err)
	}
}

func FuzzAppendIDs(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8}, uint8(2))
	f.Fuzz(func(t *testing.T, p []byte, d uint8) {
		dtype := DTypes()[d%3]
		ids, err := AppendIDs(nil, dtype, p)
		if (err == nil) != (len(p)%dtype.Size() == 0) || err == nil && len(ids)*dtype.Size() != len(p) {
			t.Errorf("%v: %d bytes give %d ids, %v", dtype, len(p), len(ids), err)
		}
	})
}

// BenchmarkResult scores a log with the size of the CNN/DailyMail test set, from ids to means.
func BenchmarkResult(b *testing.B) {
	const count = 13368
	random := rand.New(rand.NewPCG(1, 2))
	references, payloads := make([]string, count), make([][]byte, count)
	for i := range count {
		ids := make([]int64, 62)
		for j := range ids {
			ids[j] = int64(random.ExpFloat64() * 800)
		}
		payloads[i] = encoded(accuracy.Int64, ids...)
		references[i], _ = words{1 << 20}.Decode(func() (other []int32) {
			for _, id := range ids {
				other = append(other, int32(id)+int32(random.IntN(2)))
			}
			return other
		}())
		references[i] = strings.ReplaceAll(references[i], "7 ", "7. ")
	}
	b.ReportAllocs()
	for b.Loop() {
		s := New(CompareOptions{Decoder: words{1 << 20}, Splitter: punkt.NewSplitter(punkt.English()),
			References: references})
		for i, p := range payloads {
			if err := s.Add(uint64(i), p); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := s.Result(); err != nil {
			b.Fatal(err)
		}
	}
}
