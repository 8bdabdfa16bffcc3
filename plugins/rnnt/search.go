package rnnt

import (
	"context"
	"errors"
	"slices"
)

// errScores is the error of scores among which there is no greatest.
var errScores = errors.New("the model's scores are not numbers (NaN)")

// scorer of symbols: what a search asks.
type symbolScorer interface {
	begin(hypotheses int)
	scores(ctx context.Context, hypotheses []int, frames [][]float32) ([]float32, error)
	say(hypothesis int, symbol int64)
}

// greedySearch is the greedy search of the reference, for several clips in step: in each step, each clip that is not at
// its end asks once for its next symbol. No clip depends on another.
type greedySearch struct {
	network    symbolScorer
	width      int // of a frame
	scored     int // symbols that are scored, the blank among them
	blank      int64
	maxSymbols int // symbols in a frame

	hypotheses []hypothesis
	active     []int
	frames     [][]float32 // of the active ones
}

// hypothesis is what was found of one clip.
type hypothesis struct {
	encoded []float32 // the frames that are left, the present one first
	asked   int       // times in the present frame
	symbols []int64
}

// findSymbols finds the symbols of clips, which are valid until the next call.
func (s *greedySearch) findSymbols(ctx context.Context, encoded [][]float32) error {
	s.startClips(encoded)
	for len(s.active) > 0 {
		s.frames = s.frames[:0]
		for _, i := range s.active {
			s.frames = append(s.frames, s.hypotheses[i].encoded[:s.width])
		}
		scores, err := s.network.scores(ctx, s.active, s.frames)
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
	s.network.begin(len(encoded))
	s.hypotheses = slices.Grow(s.hypotheses[:0], len(encoded))[:len(encoded)]
	s.active = s.active[:0]
	for i, frames := range encoded {
		h := &s.hypotheses[i]
		h.encoded, h.asked, h.symbols = frames, 0, h.symbols[:0]
		if len(frames) > 0 {
			s.active = append(s.active, i)
		}
	}
}

// takeSymbols takes the symbol of the greatest score for each active hypothesis, and leaves those active that are not
// at their end.
func (s *greedySearch) takeSymbols(scores []float32) error {
	left := s.active[:0]
	for row, i := range s.active {
		symbol, err := greatestScore(scores[row*s.scored:][:s.scored])
		if err != nil {
			return err
		}
		h := &s.hypotheses[i]
		if h.asked++; symbol != s.blank {
			h.symbols = append(h.symbols, symbol)
			s.network.say(i, symbol)
		}
		if symbol == s.blank || h.asked == s.maxSymbols {
			h.encoded, h.asked = h.encoded[s.width:], 0
		}
		if len(h.encoded) > 0 {
			left = append(left, i)
		}
	}
	s.active = left
	return nil
}

// greatestScore returns the first index of the maximum.
func greatestScore(scores []float32) (int64, error) {
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
