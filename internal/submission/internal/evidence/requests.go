package evidence

import (
	"encoding/binary"
	"math"
)

// RequestKey identifies a request of TEST08 by its time step and query.
type RequestKey struct{ step, query int64 }

// AnsweredRequest is a request in the audit's log with its predictions.
type AnsweredRequest struct {
	key         RequestKey
	Predictions []float32
}

// Float32s decodes a payload of float32 values.
func Float32s(data []byte) []float32 {
	list := make([]float32, len(data)/4)
	for i := range list {
		list[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return list
}

// pythonInt converts a float32 like Python's int(). ok is false for values that are not finite.
func pythonInt(v float32) (n int64, ok bool) {
	f := float64(v)
	return int64(f), !math.IsNaN(f) && math.Abs(f) < 1<<63
}

// AuditRequest splits a performance run's values into time step, query and predictions.
func AuditRequest(values []float32) (AnsweredRequest, bool) {
	if len(values) < 2 {
		return AnsweredRequest{}, false
	}
	step, ok := pythonInt(values[0])
	query, ok2 := pythonInt(values[1])
	return AnsweredRequest{RequestKey{step, query}, values[2:]}, ok && ok2
}

// ReferenceRequest splits an accuracy run's values, which also contain labels, weights and the number of candidates.
func ReferenceRequest(values []float32) (key RequestKey, c Candidates, ok bool) {
	if len(values) < 3 {
		return key, c, false
	}
	n, ok := pythonInt(values[len(values)-1])
	if !ok || int64(len(values)) != 3+3*n || n < 0 {
		return key, c, false
	}
	step, ok := pythonInt(values[0])
	query, ok2 := pythonInt(values[1])
	rest := values[2:]
	c = Candidates{predictions: rest[:n], labels: rest[n : 2*n], weights: rest[2*n : 3*n]}
	return RequestKey{step, query}, c, ok && ok2
}
