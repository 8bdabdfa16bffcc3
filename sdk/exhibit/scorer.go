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

// Gallery says how bad an answer is: the larger, the worse, and 0 where it is right. show makes an exhibit of it; nil:
// the answer is not shown. A gallery is asked when an entry comes, for the badness alone, and of the worst once more in
// the end, with a copy of the entry. A note says why show failed: the score stands without the exhibit.
type Gallery func(e mllog.AccuracyEntry) (badness float64, show ShowFunc)

// ShowFunc makes an exhibit of one answer.
type ShowFunc func() (sdk.Exhibit, error)

// maxHeldBytes bounds the payloads that are kept until the end, in bytes.
const maxHeldBytes = 256 << 20

// NewScorer is a scorer that adds at most maxExhibits exhibits to its score (Request.Exhibits), the worst first;
// with none wanted, or no gallery, it is of alone. Of several entries of one sample the first is looked at.
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
	held        int          // bytes of payloads
}

type ratedEntry struct {
	entry   mllog.AccuracyEntry
	badness float64
}

// Add scores the entry and looks at it.
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

// keepWorst takes an entry in if it is among the worst. Of equal ones the first of the data set count, in whatever
// order the answers came.
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

// Result is the score with the exhibits.
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

// showEntry makes the exhibit of an entry that was kept.
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

// Close closes the scorer, where that is to be done.
func (s *exhibitScorer) Close() error {
	if c, ok := s.Scorer.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// WorstSamples shows the worst of n samples, at most maxExhibits, the worst first: for scorers that know only at their
// end how bad an answer is. Of equal ones the first come first; those that are as right as can be, 0, are shown, too.
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
