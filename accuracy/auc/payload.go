package auc

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/accuracy"
)

// DTypes returns the element types of payloads that the official script accepts, starting with its default.
func DTypes() accuracy.DTypeList {
	return accuracy.DTypeList{accuracy.Float32, accuracy.Int32, accuracy.Int64}
}

// checkRanges checks that the ranges fit the labels and that labels are 0 or 1. It returns an error that lists all
// faults.
func (t *Truth) checkRanges() error {
	var f accuracy.FaultList
	if t.Labels != nil && t.Samples == nil {
		f.Addf("%d labels without samples, want the range of pairs of each sample", len(t.Labels))
	}
	for i, r := range t.Samples {
		switch {
		case r.Start < 0 || r.End <= r.Start:
			f.Addf("sample %d: pairs %d to %d, want at least one", i, r.Start, r.End)
		case t.Labels != nil && r.End > len(t.Labels):
			f.Addf("sample %d: pairs %d to %d, want them among the %d labels", i, r.Start, r.End, len(t.Labels))
		}
	}
	for i, label := range t.Labels {
		if label > 1 {
			f.Addf("label %d is %d, want 0 or 1", i, label)
		}
	}
	return f.Err(ErrTruth)
}

// addPayload adds all pairs of a payload. If the payload has a fault, it adds none.
func (s *PairScorer) addPayload(index uint64, data []byte) error {
	pairs, err := s.countPairs(index, data)
	if err != nil {
		return err
	}
	var labels []uint8
	if s.truth.Labels != nil {
		r := s.truth.Samples[index]
		labels = s.truth.Labels[r.Start:r.End]
	}
	before := [2]int{s.keys[0].count, s.keys[1].count}
	good, err := s.decodePairs(index, data, pairs, labels)
	if err != nil {
		s.keys[0].count, s.keys[1].count = before[0], before[1]
		return err
	}
	s.result.Good += good
	return nil
}

// countPairs returns the number of pairs in a payload, or an error if the payload's length is wrong.
func (s *PairScorer) countPairs(index uint64, data []byte) (int, error) {
	each, what := s.options.DType.Size(), "a prediction"
	if s.truth.Labels == nil {
		each, what = 2*each, "a prediction and a label"
	}
	if len(data) == 0 || len(data)%each != 0 {
		return 0, fmt.Errorf("%w: sample %d: %d bytes, want a multiple of %d above 0, %s per pair as %v; was the log "+
			"written with another dtype?",
			ErrPayload, index, len(data), each, what, s.options.DType)
	}
	found := len(data) / each
	if s.truth.Samples != nil {
		if r := s.truth.Samples[index]; found != r.End-r.Start {
			return 0, fmt.Errorf("%w: sample %d: %d pairs in %d bytes, want %d (%d to %d of the data set)",
				ErrPayload, index, found, len(data), r.End-r.Start, r.Start, r.End)
		}
	}
	return found, nil
}

// decodePairs adds the pairs of a payload and returns the number of correct predictions. If labels is nil, it reads the
// labels from the payload.
func (s *PairScorer) decodePairs(index uint64, data []byte, pairs int, labels []uint8) (good int, err error) {
	d := s.options.DType
	if d == accuracy.Float32 && labels == nil {
		return s.decodeFloats(index, data)
	}
	var wrong accuracy.FaultList
	for i := range pairs {
		prediction, label := 0.0, 0.0
		if labels == nil {
			prediction, label = d.At(data, 2*i), d.At(data, 2*i+1)
		} else {
			prediction, label = d.At(data, i), float64(labels[i])
		}
		if problem := s.addPair(prediction, label); problem != "" {
			wrong.Addf("sample %d, pair %d: %s", index, i, problem)
		}
		if roundsToLabel(prediction, label == 1) {
			good++
		}
	}
	return good, wrong.Err(ErrPayload)
}

// addPair adds one pair. If the pair is invalid, it returns a description of the fault.
func (s *PairScorer) addPair(prediction, label float64) (problem string) {
	if label != 0 && label != 1 {
		return fmt.Sprintf("label %v, want 0 or 1", label)
	}
	key := uint32(0)
	switch {
	case math.IsNaN(prediction) || math.IsInf(prediction, 0):
		return fmt.Sprintf("prediction %v, want a finite number", prediction)
	case s.options.DType == accuracy.Float32:
		key = floatKey(float32(prediction))
	case prediction != float64(int32(prediction)):
		return fmt.Sprintf("prediction %v, want an int32", prediction)
	default:
		key = intKey(int32(prediction))
	}
	s.keys[int(label)].add(key)
	return ""
}

// decodeFloats does the work of decodePairs for the usual payload: float32 predictions and labels.
func (s *PairScorer) decodeFloats(index uint64, data []byte) (good int, err error) {
	var wrong accuracy.FaultList
	for i := 0; i < len(data); i += 8 {
		p := math.Float32frombits(binary.LittleEndian.Uint32(data[i:]))
		label := math.Float32frombits(binary.LittleEndian.Uint32(data[i+4:]))
		if (label != 0 && label != 1) || p-p != 0 {
			wrong.Addf("sample %d, pair %d: prediction %v, label %v, want a finite prediction and a label of 0 or 1",
				index, i/8, p, label)
			continue
		}
		s.keys[int(label)].add(floatKey(p))
		if roundsToLabel(float64(p), label == 1) {
			good++
		}
	}
	return good, wrong.Err(ErrPayload)
}

// roundsToLabel reports whether a prediction, rounded half to even, equals the label: 0.5 rounds to 0, 1.5 to 2.
func roundsToLabel(prediction float64, label bool) bool {
	if label {
		return prediction > 0.5 && prediction < 1.5
	}
	return prediction >= -0.5 && prediction <= 0.5
}
