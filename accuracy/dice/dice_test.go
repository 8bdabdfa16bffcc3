package dice

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/accuracy"
)

func volume(name string, labels ...uint8) Case {
	return Case{name, [3]int{1, 1, len(labels)}, func() ([]uint8, error) { return labels, nil }}
}

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

func TestScore(t *testing.T) {
	tests := []struct {
		name    string
		labels  []uint8
		dtype   accuracy.DType
		payload []byte
		want    string
	}{
		{"equal", []uint8{0, 1, 2, 1}, accuracy.UInt8, []byte{0, 1, 2, 1}, "mean = 1.00000, kidney = 1.0000, tumor = 1.0000"},
		{"half the kidney", []uint8{1, 1, 1, 1, 2}, accuracy.UInt8, []byte{1, 1, 0, 0, 2},
			"mean = 0.83333, kidney = 0.6667, tumor = 1.0000"},
		{"tumours are no kidney", []uint8{1, 1}, accuracy.UInt8, []byte{2, 2},
			"mean = 0.00000, kidney = 0.0000, tumor = 0.0000"},
		{"nothing there", []uint8{0, 0}, accuracy.UInt8, []byte{0, 0}, "mean = 1.00000, kidney = 1.0000, tumor = 1.0000"},
		{"nothing found", []uint8{1, 2}, accuracy.UInt8, []byte{0, 0}, "mean = 0.00000, kidney = 0.0000, tumor = 0.0000"},
		{"int8", []uint8{1, 2}, accuracy.Int8, []byte{1, 2}, "mean = 1.00000, kidney = 1.0000, tumor = 1.0000"},
		{"int32", []uint8{1, 2}, accuracy.Int32, i32(1, 2), "mean = 1.00000, kidney = 1.0000, tumor = 1.0000"},
		{"int64", []uint8{1, 2}, accuracy.Int64, i64(1, 0), "mean = 0.50000, kidney = 1.0000, tumor = 0.0000"},
		{"int16", []uint8{1, 2}, accuracy.Int16, []byte{1, 0, 2, 0}, "mean = 1.00000, kidney = 1.0000, tumor = 1.0000"},
		{"float16", []uint8{1, 2}, accuracy.Float16, []byte{0, 0x3c, 0, 0x40},
			"mean = 1.00000, kidney = 1.0000, tumor = 1.0000"},
		{"float64", []uint8{1}, accuracy.Float64, i64(int64(math.Float64bits(1))),
			"mean = 1.00000, kidney = 1.0000, tumor = 1.0000"},
		{"fractions are cut off",
			[]uint8{1, 2, 0}, accuracy.Float32, f32(1.9, 2, -0.9), "mean = 1.00000, kidney = 1.0000, tumor = 1.0000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := New([]Case{volume("a", tt.labels...)}, PayloadOptions{tt.dtype})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Add(0, tt.payload); err != nil {
				t.Fatal(err)
			}
			if r, err := s.Result(); err != nil || r.String() != "Accuracy: "+tt.want {
				t.Errorf("got %v, %v; want %s", r, err, tt.want)
			}
		})
	}
}

// TestCountsOfLongVolumes compares the counts of whole words and the remaining bytes with counts of single voxels.
func TestCountsOfLongVolumes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 7, 8, 9, 64, 40001} {
		p, l := make([]byte, n), make([]byte, n)
		var want voxelOverlap
		for i := range p {
			p[i], l[i] = byte(random.IntN(3)), byte(random.IntN(3))
			for c := range classes {
				inP, inL := int(p[i]) == c+1, int(l[i]) == c+1
				want.predicted[c] += number(inP)
				want.labelled[c] += number(inL)
				want.both[c] += number(inP && inL)
			}
		}
		s := VolumeScorer{options: PayloadOptions{accuracy.UInt8}}
		if got, err := s.compareVoxels(p, l); got != want || err != nil {
			t.Errorf("%d voxels: %+v, %v; want %+v", n, got, err, want)
		}
	}
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestAddRefuses(t *testing.T) {
	broken := Case{"broken", [3]int{1, 1, 2}, func() ([]uint8, error) { return nil, fs.ErrNotExist }}
	short := Case{"short", [3]int{2, 2, 2}, func() ([]uint8, error) { return make([]uint8, 7), nil }}
	cases := []Case{volume("a", 0, 1, 2, 0, 1, 2, 0, 1, 2, 0), volume("b", 0, 3), broken, short}
	nan := float32(math.NaN())
	tests := []struct {
		name    string
		dtype   accuracy.DType
		index   uint64
		payload []byte
		kind    error
		want    string
	}{
		{"index at the end", accuracy.UInt8, 4, nil, ErrIndex, "sample 4, want one below 4"},
		{"too short", accuracy.UInt8, 0, make([]byte, 9), ErrPayload,
			"sample 0 (a): 9 bytes, want 10: [1 1 10] voxels of uint8"},
		{"another dtype", accuracy.UInt8, 0, i32(make([]int32, 10)...), ErrPayload, "40 bytes, want 10"},
		{"no class", accuracy.UInt8, 0, []byte{0, 0, 0, 3, 0, 0, 0, 0, 0, 0}, ErrPayload, "voxel 3 is 3, want 0, 1 or 2"},
		{"no class in the rest", accuracy.UInt8, 0, []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 4}, ErrPayload, "voxel 9 is 4"},
		{"negative", accuracy.Int8, 0, []byte{0, 0xff, 0, 0, 0, 0, 0, 0, 0, 0}, ErrPayload, "voxel 1 is -1"},
		{"int32", accuracy.Int32, 0, i32(0, 0, 256, 0, 0, 0, 0, 0, 0, 0), ErrPayload, "voxel 2 is 256"},
		{"int64", accuracy.Int64, 0, i64(0, 0, 1<<32, 0, 0, 0, 0, 0, 0, 0), ErrPayload, "voxel 2 is 4.294967296e+09"},
		{"nan", accuracy.Float32, 0, f32(0, nan, 0, 0, 0, 0, 0, 0, 0, 0), ErrPayload, "voxel 1 is NaN"},
		{"label no class", accuracy.UInt8, 1, []byte{0, 1}, ErrTruth,
			"sample 1 (b): the labels cannot be scored against: voxel 1 is 3"},
		{"labels unreadable", accuracy.UInt8, 2, []byte{0, 1}, fs.ErrNotExist, "broken"},
		{"labels too few", accuracy.UInt8, 3, make([]byte, 8), ErrTruth, "short: 7 labels, want 8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := New(cases, PayloadOptions{tt.dtype})
			if err != nil {
				t.Fatal(err)
			}
			err = s.Add(tt.index, tt.payload)
			if !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %v and %q", err, tt.kind, tt.want)
			}
			if _, err := s.Result(); !errors.Is(err, ErrNoSamples) {
				t.Errorf("the entry had an effect: %v", err)
			}
		})
	}
}

func TestResultWantsEachCaseOnce(t *testing.T) {
	s, err := New([]Case{volume("a", 1), volume("b", 1), volume("c", 1)}, PayloadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, index := range []uint64{2, 0, 2, 2} {
		if err := s.Add(index, []byte{1}); err != nil {
			t.Fatal(err)
		}
	}
	_, err = s.Result()
	if !errors.Is(err, ErrLog) || !strings.Contains(err.Error(), "case 1 (b) 0 times") ||
		!strings.Contains(err.Error(), "case 2 (c) 3 times") {
		t.Errorf("error %v, want b missing and c three times", err)
	}
}

func TestNewRefuses(t *testing.T) {
	_, err := New([]Case{{Name: "flat", Shape: [3]int{1, 0, 2}}, volume("good", 1), {Name: "unlabelled",
		Shape: [3]int{1, 1, 1}}}, PayloadOptions{})
	if !errors.Is(err, ErrTruth) || !strings.Contains(err.Error(), "flat") ||
		!strings.Contains(err.Error(), "case 2 (unlabelled)") {
		t.Errorf("error %v, want flat and unlabelled", err)
	}
	if _, err := New(nil, PayloadOptions{accuracy.DType(99)}); err == nil {
		t.Error("no error for an unknown dtype")
	}
}

func TestParseDType(t *testing.T) {
	for _, d := range []accuracy.DType{accuracy.UInt8, accuracy.Int8, accuracy.Int16, accuracy.Int32, accuracy.Int64,
		accuracy.Float16, accuracy.Float32, accuracy.Float64} {
		if got, err := DTypes().Parse(d.String()); got != d || err != nil {
			t.Errorf("%v: %v, %v", d, got, err)
		}
	}
	if d, err := DTypes().Parse(""); d != accuracy.UInt8 || err != nil {
		t.Errorf("empty: %v, %v; want uint8", d, err)
	}
	if _, err := DTypes().Parse("bool"); err == nil {
		t.Error("no error for bool")
	}
}

// FuzzAdd checks that no payload crashes the scorer and that scores are from 0 to 1.
func FuzzAdd(f *testing.F) {
	f.Add([]byte{0, 1, 2}, uint8(0))
	f.Add(f32(1, 2, 0), uint8(6))
	f.Add(i64(1, -2, 1<<40), uint8(4))
	f.Fuzz(func(t *testing.T, payload []byte, dtype uint8) {
		s, err := New([]Case{volume("a", 0, 1, 2)}, PayloadOptions{DTypes()[dtype%8]})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Add(0, payload); err != nil {
			if !errors.Is(err, ErrPayload) {
				t.Fatal(err)
			}
			return
		}
		r, err := s.Result()
		if err != nil {
			t.Fatal(err)
		}
		if m := r.Mean; !(m.Kidney >= 0 && m.Kidney <= 1 && m.Tumour >= 0 && m.Tumour <= 1) {
			t.Errorf("%+v", m)
		}
	})
}

// BenchmarkDICE scores 42 volumes of 128 x 384 x 384 voxels. All use the same memory, which is already read.
func BenchmarkDICE(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	labels, payload := make([]uint8, 128*384*384), make([]byte, 128*384*384)
	for i := range labels {
		labels[i], payload[i] = uint8(random.IntN(3)), uint8(random.IntN(3))
	}
	var cases []Case
	for i := range 42 {
		cases = append(cases, Case{fmt.Sprint(i), [3]int{128, 384, 384}, func() ([]uint8, error) { return labels, nil }})
	}
	b.SetBytes(int64(len(cases) * len(labels)))
	b.ReportAllocs()
	for b.Loop() {
		s, err := New(cases, PayloadOptions{})
		if err != nil {
			b.Fatal(err)
		}
		for i := range cases {
			if err := s.Add(uint64(i), payload); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := s.Result(); err != nil {
			b.Fatal(err)
		}
	}
}
