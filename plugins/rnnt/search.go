package rnnt

import (
	"context"
	"errors"
	"slices"
)

// errScores means that scores are NaN, so there is no largest one.
var errScores = errors.New("the model's scores are not numbers (NaN)")

// symbolScorer scores the next symbol of hypotheses.
type symbolScorer interface {
	startHypotheses(hypotheses int)
	scoreSymbols(ctx context.Context, hypotheses []int, frames [][]float32) ([]float32, error)
	addSymbol(hypothesis int, symbol int64)
}

// greedySearch is the reference's greedy search for several clips in parallel. In each step, each clip that is not at
// its end requests its next symbol once. Clips do not influence each other.
type greedySearch struct {
	network    symbolScorer
	width      int // values per encoder frame
	scored     int // number of scored symbols, including the blank
	blank      int64
	maxSymbols int // maximum number of symbols per frame

	hypotheses []hypothesis
	active     []int
	frames     [][]float32 // current frames of the active hypotheses
}

// hypothesis is the result for one clip so far.
type hypothesis struct {
	remainingFrames []float32 // remaining frames; the current one is first
	requests        int       // number of requests in the current frame
	symbols         []int64
}

// findSymbols finds the symbols of clips. They are valid until the next call.
func (s *greedySearch) findSymbols(ctx context.Context, encoded [][]float32) error {
	s.startClips(encoded)
	for len(s.active) > 0 {
		s.frames = s.frames[:0]
		for _, i := range s.active {
			s.frames = append(s.frames, s.hypotheses[i].remainingFrames[:s.width])
		}
		scores, err := s.network.scoreSymbols(ctx, s.active, s.frames)
		if err != nil {
			return err
		}
		if err := s.takeSymbols(scores); err != nil {
			return err
		}
	}
	return nil
}

func (s *greedySearch) startClips(encoded [][]float32) {
	s.network.startHypotheses(len(encoded))
	s.hypotheses = slices.Grow(s.hypotheses[:0], len(encoded))[:len(encoded)]
	s.active = s.active[:0]
	for i, frames := range encoded {
		h := &s.hypotheses[i]
		h.remainingFrames, h.requests, h.symbols = frames, 0, h.symbols[:0]
		if len(frames) > 0 {
			s.active = append(s.active, i)
		}
	}
}

// takeSymbols adds the symbol with the largest score to each active hypothesis. It deactivates hypotheses at their end.
func (s *greedySearch) takeSymbols(scores []float32) error {
	left := s.active[:0]
	for row, i := range s.active {
		symbol, err := argMaxScore(scores[row*s.scored:][:s.scored])
		if err != nil {
			return err
		}
		h := &s.hypotheses[i]
		if h.requests++; symbol != s.blank {
			h.symbols = append(h.symbols, symbol)
			s.network.addSymbol(i, symbol)
		}
		if symbol == s.blank || h.requests == s.maxSymbols {
			h.remainingFrames, h.requests = h.remainingFrames[s.width:], 0
		}
		if len(h.remainingFrames) > 0 {
			left = append(left, i)
		}
	}
	s.active = left
	return nil
}

// argMaxScore returns the index of the first maximum.
func argMaxScore(scores []float32) (int64, error) {
	best := 0
	for i, v := range scores {
		if v != v {
			return 0, errScores
		}
		if v > scores[best] {
			best = i
		}
	}
	return int64(best), nil
}
