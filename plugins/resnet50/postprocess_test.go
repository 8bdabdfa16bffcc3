package resnet50

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

func classTensor(classes ...int64) backend.Tensor {
	return backend.Tensor{
		Name: "ArgMax:0", DType: backend.Int64, Shape: []int64{int64(len(classes))}, Data: backend.Bytes(classes),
	}
}

func scoreTensor(rows int, scores ...float32) backend.Tensor {
	return backend.Tensor{Name: "scores", DType: backend.Float32, Shape: []int64{int64(rows), int64(len(scores) / rows)},
		Data: backend.Bytes(scores)}
}

// payloadClasses reads the payloads as the official scorer does.
func payloadClasses(t *testing.T, p *sdk.Payloads) []float32 {
	t.Helper()
	classes := make([]float32, p.Len())
	for i := range classes {
		if len(p.At(i)) != 4 {
			t.Fatalf("payload %d has %d bytes, want one float32", i, len(p.At(i)))
		}
		classes[i] = math.Float32frombits(binary.LittleEndian.Uint32(p.At(i)))
	}
	return classes
}

func TestAnswers(t *testing.T) {
	inf := float32(math.Inf(1))
	cases := []struct {
		name    string
		binding classifierBinding
		out     backend.Tensor
		n       int
		want    []float32
	}{
		{"class numbers", classifierBinding{Offset: 1}, classTensor(1, 1000, 8), 3, []float32{0, 999, 7}},
		{"no offset", classifierBinding{}, classTensor(0, 999), 2, []float32{0, 999}},
		{"the background class", classifierBinding{Offset: 1}, classTensor(0), 1, []float32{-1}},
		{"class numbers of 32 bits", classifierBinding{Offset: 1}, backend.Tensor{
			DType: backend.Int32, Shape: []int64{2}, Data: backend.Bytes([]int32{0, 8}),
		}, 2, []float32{-1, 7}},
		{"scores", classifierBinding{Scores: true, Offset: 1}, scoreTensor(2, 0.1, 0.7, 0.2, 0.1, 0.1, 0.8), 2, []float32{0,
			1}},
		{"the first of equal scores", classifierBinding{Scores: true}, scoreTensor(1, 1, 3, 3, 2), 1, []float32{1}},
		{"infinite scores", classifierBinding{Scores: true}, scoreTensor(2, -inf, -inf, 5, inf), 2, []float32{0, 1}},
		{"one class", classifierBinding{Scores: true}, scoreTensor(1, -5), 1, []float32{0}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var p sdk.Payloads
			if err := c.binding.appendAnswers(c.out, c.n, &p); err != nil {
				t.Fatal(err)
			}
			if got := payloadClasses(t, &p); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestAnswersRefuses(t *testing.T) {
	odd := scoreTensor(1, 1, 2)
	odd.Data = odd.Data[:7]
	cases := []struct {
		name    string
		binding classifierBinding
		out     backend.Tensor
		n       int
	}{
		{"scores for class numbers", classifierBinding{}, scoreTensor(1, 1, 2), 1},
		{"class numbers for scores", classifierBinding{Scores: true}, classTensor(1), 1},
		{"too few rows", classifierBinding{}, classTensor(1), 2},
		{"too many rows", classifierBinding{}, classTensor(1, 2), 1},
		{"ragged scores", classifierBinding{Scores: true}, scoreTensor(1, 1, 2, 3), 2},
		{"half a score", classifierBinding{Scores: true}, odd, 1},
		{"no data", classifierBinding{Scores: true}, backend.Tensor{DType: backend.Float32}, 1},
		{"no pictures", classifierBinding{}, classTensor(1), 0},
		{"not a number", classifierBinding{Scores: true}, scoreTensor(1, 1, float32(math.NaN())), 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if err := c.binding.appendAnswers(c.out, c.n, new(sdk.Payloads)); !errors.Is(err, errOutput) {
				t.Errorf("got %v, want %v", err, errOutput)
			}
		})
	}
}

func BenchmarkArgmax(b *testing.B) {
	var best [1]int64
	row := backend.Bytes(make([]float32, 1001))
	b.ReportAllocs()
	for b.Loop() {
		if err := findTopScores(best[:], row); err != nil {
			b.Fatal(err)
		}
	}
}
