package exhibit

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
)

// Gallery rates an answer: badness is 0 for a right answer and larger for a worse one. show makes an exhibit of the
// answer; nil means that the answer is not shown. The scorer calls the gallery for each new entry and uses only the
// badness. At the end it calls it again for the worst entries, with copies. If show fails, the score contains a note
// with the reason instead of the exhibit.
type Gallery func(e mllog.AccuracyEntry) (badness float64, show ShowFunc)

// ShowFunc makes an exhibit of one answer.
type ShowFunc func() (sdk.Exhibit, error)

// maxHeldBytes is the maximum size of the payloads that are kept until the end.
const maxHeldBytes = 256 << 20

// NewScorer returns a scorer that adds up to maxExhibits exhibits (Request.Exhibits), the worst first, to the score of
// the scorer of. If maxExhibits is 0 or there is no gallery, it returns of itself. It rates only the first entry of a
// sample.
func NewScorer(of sdk.Scorer, maxExhibits int, g Gallery) sdk.Scorer {
	if maxExhibits <= 0 || g == nil {
		return of
	}
	return &exhibitScorer{Scorer: of, gallery: g, maxExhibits: min(maxExhibits, sdk.MaxExhibits), seen: map[uint64]bool{}}
}

type exhibitScorer struct {
	sdk.Scorer
	gallery     Gallery
	maxExhibits int
	seen        map[uint64]bool
	worst       []ratedEntry // the worst first
	held        int          // size of the payloads in bytes
}

type ratedEntry struct {
	entry   mllog.AccuracyEntry
	badness float64
}

// Add scores the entry and rates it for the exhibits.
func (s *exhibitScorer) Add(e mllog.AccuracyEntry) error {
	if err := s.Scorer.Add(e); err != nil || s.seen[e.QSLIndex] {
		return err
	}
	s.seen[e.QSLIndex] = true
	if badness, show := s.gallery(e); show != nil && !math.IsNaN(badness) {
		s.keepWorst(ratedEntry{e, badness})
	}
	return nil
}

// keepWorst keeps an entry if it is among the worst. Of equally bad entries it prefers the first in the data set,
// independently of the order of answers.
func (s *exhibitScorer) keepWorst(r ratedEntry) {
	at, _ := slices.BinarySearchFunc(s.worst, r, func(a, b ratedEntry) int {
		return cmp.Or(cmp.Compare(b.badness, a.badness), cmp.Compare(a.entry.QSLIndex, b.entry.QSLIndex))
	})
	if at >= s.maxExhibits || len(r.entry.Data) > maxHeldBytes {
		return
	}
	r.entry.Data, r.entry.TokenData = slices.Clone(r.entry.Data), slices.Clone(r.entry.TokenData)
	s.worst = slices.Insert(s.worst, at, r)
	for s.held += len(r.entry.Data); len(s.worst) > s.maxExhibits || s.held > maxHeldBytes; {
		last := len(s.worst) - 1
		s.held -= len(s.worst[last].entry.Data)
		s.worst = s.worst[:last]
	}
}

// Result returns the score with the exhibits.
func (s *exhibitScorer) Result() (sdk.Score, error) {
	score, err := s.Scorer.Result()
	if err != nil {
		return score, err
	}
	for _, r := range s.worst {
		e, err := s.showEntry(r.entry)
		if err != nil {
			score.Notes = append(score.Notes, fmt.Sprintf("sample %d is not shown: %v", r.entry.QSLIndex, err))
			break // the others have the same fault
		}
		score.Exhibits = append(score.Exhibits, e)
	}
	return score, nil
}

// showEntry makes the exhibit of a kept entry.
func (s *exhibitScorer) showEntry(e mllog.AccuracyEntry) (sdk.Exhibit, error) {
	_, show := s.gallery(e)
	if show == nil {
		return sdk.Exhibit{}, errors.New("the gallery does not show it any more")
	}
	x, err := show()
	if err == nil {
		err = x.Check()
	}
	return x, err
}

// Close closes the scorer if it is an io.Closer.
func (s *exhibitScorer) Close() error {
	if c, ok := s.Scorer.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// WorstSamples returns exhibits of up to maxExhibits of the n samples, the worst first, for scorers that can rate
// answers only at the end. Equally bad samples keep their order. Samples with badness 0 are shown too.
func WorstSamples(n, maxExhibits int, rate func(i int) (badness float64, show func() sdk.Exhibit)) []sdk.Exhibit {
	if maxExhibits <= 0 {
		return nil
	}
	numbers, values := make([]int, n), make([]float64, n)
	for i := range numbers {
		numbers[i] = i
		values[i], _ = rate(i)
	}
	slices.SortStableFunc(numbers, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	worst := make([]sdk.Exhibit, min(n, maxExhibits, sdk.MaxExhibits))
	for k := range worst {
		_, show := rate(numbers[k])
		worst[k] = show()
	}
	return worst
}
