package generate_test

import (
	"context"
	"math"
)

type ctx = context.Context

func lengthScore(sum float64, n int, penalty float64) float64 {
	return sum / math.Pow(float64(n), penalty)
}

func logProbabilities(logits []float32) []float64 {
	var total float64
	for _, v := range logits {
		total += math.Exp(float64(v))
	}
	logs := make([]float64, len(logits))
	for i, v := range logits {
		logs[i] = float64(v) - math.Log(total)
	}
	return logs
}

func nan() float32 { return float32(math.NaN()) }
