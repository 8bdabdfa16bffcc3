package entropy

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// payload returns the payload of a request whose weights are 1.
func payload(predictions, labels []float32) []byte {
	values := append([]float32{0, 0}, predictions...)
	values = append(values, labels...)
	for range predictions {
		values = append(values, 1)
	}
	var out []byte
	for _, v := range append(values, float32(len(predictions))) {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}

func TestNothing(t *testing.T) {
	var s RequestScorer
	if r := s.Result(); r.GAUC != 0.5 || r.Accuracy != 0 || !math.IsNaN(r.Entropy) {
		t.Errorf("%+v", r)
	}
}

func TestOddRequestsAreCounted(t *testing.T) {
	var s RequestScorer
	nan := float32(math.NaN())
	for _, p := range [][]byte{
		payload(nil, nil), payload([]float32{nan, 1}, []float32{0, 1}), payload([]float32{1, 1}, []float32{0.5, 1}),
		payload([]float32{0.5, 0.5, 1}, []float32{0, 1, 1}),
	} {
		if err := s.Add(p); err != nil {
			t.Fatal(err)
		}
	}
	if r := s.Result(); r.Odd != (OddCounts{Empty: 1, NaN: 1, Labels: 1, Ties: 1}) || r.Requests != 4 {
		t.Errorf("%+v", r)
	}
}

func TestPayloadsOfOtherForms(t *testing.T) {
	whole := payload([]float32{1, 0}, []float32{1, 0})
	for name, p := range map[string][]byte{
		"empty": nil, "of odd bytes": whole[1:], "of a performance run": whole[:16], "cut": whole[:len(whole)-8],
		"of fewer": payload([]float32{1}, []float32{1})[4:],
	} {
		var s RequestScorer
		if err := s.Add(p); !errors.Is(err, ErrPayload) || !strings.Contains(err.Error(), "want") {
			t.Errorf("a payload %s: %v", name, err)
		}
	}
}

func TestText(t *testing.T) {
	const want = "metric/lifetime_ne/rating: 0.5\nmetric/lifetime_accuracy/rating: 1.0\n" +
		"metric/lifetime_gauc/rating: 0.25\n"
	if got := (RequestResult{Entropy: 0.5, Accuracy: 1, GAUC: 0.25}).Text(); got != want {
		t.Errorf("%q", got)
	}
	if got := (RequestResult{Entropy: 9.99e-10}).Text(); !strings.HasPrefix(got,
		"metric/lifetime_ne/rating: 0.000000000999\n") {
		t.Errorf("%q: the checker would read 9.99", got)
	}
}

func FuzzAdd(f *testing.F) {
	f.Add(payload([]float32{1, 0, 0.5}, []float32{1, 0, 1}))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s RequestScorer
		if err := s.Add(data); err != nil && !errors.Is(err, ErrPayload) {
			t.Error(err)
		}
		if r := s.Result(); r.Grouped > r.Requests {
			t.Errorf("%+v", r)
		}
	})
}

// BenchmarkAdd scores a request of the official size.
func BenchmarkAdd(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	var predictions, labels []float32
	for range 2048 {
		predictions, labels = append(predictions, random.Float32()), append(labels, float32(random.IntN(2)))
	}
	p := payload(predictions, labels)
	var s RequestScorer
	b.ReportAllocs()
	b.SetBytes(int64(2 * len(p))) // bytes in the log, which has two characters per byte
	for b.Loop() {
		if err := s.Add(p); err != nil {
			b.Fatal(err)
		}
	}
}
