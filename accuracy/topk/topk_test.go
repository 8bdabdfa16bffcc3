package topk

import (
	"encoding/binary"
	"errors"
	"math"
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

func i32(v int32) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(v)) }
func i64(v int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(v)) }

type entry struct {
	index   uint64
	payload []byte
}

func TestScorer(t *testing.T) {
	labels := []int{7, 0, 999}
	cases := []struct {
		name    string
		dtype   accuracy.DType
		entries []entry
		want    string
		dupes   int
	}{
		{"all right", accuracy.Float32, []entry{{0, f32(7)}, {1, f32(0)}, {2, f32(999)}},
			"accuracy=100.000%, good=3, total=3", 0},
		{"only the samples seen count", accuracy.Float32, []entry{{2, f32(999)}, {0, f32(8)}},
			"accuracy=50.000%, good=1, total=2", 0},
		{"toward zero, not down", accuracy.Float32, []entry{{0, f32(7.99)}, {1, f32(-0.99)}},
			"accuracy=100.000%, good=2, total=2", 0},
		{"element 0 alone", accuracy.Float32, []entry{{0, f32(7, 1, 2)}, {1, f32(1, 0)}},
			"accuracy=50.000%, good=1, total=2", 0},
		{"first entry kept", accuracy.Float32, []entry{{0, f32(7)}, {0, f32(1)}, {1, f32(1)}, {1, f32(0)}},
			"accuracy=50.000%, good=1, total=2", 2},
		{"a duplicate is not looked at",
			accuracy.Float32, []entry{{0, f32(7)}, {0, []byte{1}}}, "accuracy=100.000%, good=1, total=1", 1},
		{"int32", accuracy.Int32, []entry{{0, i32(7)}, {1, i32(-1)}, {2, append(i32(999), i32(1)...)}},
			"accuracy=66.667%, good=2, total=3", 0},
		{"int64", accuracy.Int64, []entry{{0, i64(7)}, {2, i64(999 + 1<<32)}}, "accuracy=50.000%, good=1, total=2", 0},
		{"huge floats are wrong answers",
			accuracy.Float32, []entry{{0, f32(3e38)}, {1, f32(-3e38)}}, "accuracy=0.000%, good=0, total=2", 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := New(labels, PayloadOptions{DType: c.dtype})
			for _, e := range c.entries {
				if err := s.Add(e.index, e.payload); err != nil {
					t.Fatal(err)
				}
			}
			r, err := s.Result()
			if err != nil {
				t.Fatal(err)
			}
			if r.String() != c.want || r.Duplicates != c.dupes {
				t.Errorf("got %v, %d duplicates; want %s, %d", r, r.Duplicates, c.want, c.dupes)
			}
		})
	}
}

func TestScorerRefuses(t *testing.T) {
	cases := []struct {
		name    string
		dtype   accuracy.DType
		index   uint64
		payload []byte
		want    error
	}{
		{"index at the end", accuracy.Float32, 2, f32(1), ErrIndex},
		{"index far out", accuracy.Float32, math.MaxUint64, f32(1), ErrIndex},
		{"empty payload", accuracy.Float32, 0, nil, ErrPayload},
		{"short payload", accuracy.Float32, 0, []byte{1, 2, 3}, ErrPayload},
		{"not a multiple", accuracy.Float32, 0, append(f32(1), 0), ErrPayload},
		{"int32 read as int64", accuracy.Int64, 0, i32(1), ErrPayload},
		{"nan", accuracy.Float32, 0, f32(float32(math.NaN())), ErrPayload},
		{"infinity", accuracy.Float32, 0, f32(float32(math.Inf(-1))), ErrPayload},
		{"no such dtype", accuracy.DType(9), 0, f32(1), ErrPayload},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := New([]int{1, 2}, PayloadOptions{DType: c.dtype})
			if err := s.Add(c.index, c.payload); !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			if _, err := s.Result(); !errors.Is(err, ErrNoSamples) {
				t.Errorf("a refused entry counted: got %v, want %v", err, ErrNoSamples)
			}
		})
	}
}

func TestKeepWrong(t *testing.T) {
	s := New([]int{1, 2}, PayloadOptions{KeepWrong: true})
	for i, class := range []float32{1, 5} {
		if err := s.Add(uint64(i), f32(class)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	if want := (WrongAnswer{Index: 1, Expected: 2, Found: 5}); len(r.Wrong) != 1 || r.Wrong[0] != want {
		t.Errorf("got %v, want [%v]", r.Wrong, want)
	}
}

func TestParseDType(t *testing.T) {
	for _, d := range []accuracy.DType{accuracy.Float32, accuracy.Int32, accuracy.Int64} {
		if got, err := DTypes().Parse(d.String()); err != nil || got != d {
			t.Errorf("DTypes().Parse(%q) = %v, %v", d, got, err)
		}
	}
	if got, err := DTypes().Parse(""); err != nil || got != accuracy.Float32 {
		t.Errorf(`DTypes().Parse("") = %v, %v, want float32`, got, err)
	}
	for _, bad := range []string{"float64", "Float32", " int32"} {
		if _, err := DTypes().Parse(bad); err == nil {
			t.Errorf("DTypes().Parse(%q) passed", bad)
		}
	}
}

// FuzzAdd checks the invariants of all logs: the counts add up, and a rejected entry changes nothing.
func FuzzAdd(f *testing.F) {
	f.Add(uint8(0), uint64(0), f32(1))
	f.Add(uint8(1), uint64(1), i32(-1))
	f.Add(uint8(2), uint64(9), i64(math.MinInt64))
	f.Add(uint8(0), uint64(0), []byte{0, 0, 0x80, 0x7f})
	f.Fuzz(func(t *testing.T, dtype uint8, index uint64, data []byte) {
		s := New([]int{0, 1, 2, 3}, PayloadOptions{DType: accuracy.DType(dtype), KeepWrong: true})
		err := s.Add(index, data)
		again := s.Add(index, data)
		if (err == nil) != (again == nil) {
			t.Fatalf("first %v, then %v", err, again)
		}
		r, resultErr := s.Result()
		if (err == nil) != (resultErr == nil) {
			t.Fatalf("Add gives %v, Result %v", err, resultErr)
		}
		if err == nil && (r.Total != 1 || r.Duplicates != 1 || r.Good+len(r.Wrong) != 1) {
			t.Fatalf("counts do not add up: %+v", r)
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	const n = 50000
	labels := make([]int, n)
	payload := f32(3)
	b.ReportAllocs()
	s := New(labels, PayloadOptions{})
	for i := 0; b.Loop(); i++ {
		if i%n == 0 {
			clear(s.seen)
		}
		if err := s.Add(uint64(i%n), payload); err != nil {
			b.Fatal(err)
		}
	}
}
