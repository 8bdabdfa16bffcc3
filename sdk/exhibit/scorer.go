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

// Gallery is what a benchmark knows of its answers.
type Gallery interface {
	// Rate says how bad an answer is: the larger, the worse, and 0 where it is right. One that is not ok is not shown.
	Rate(e mllog.AccuracyEntry) (badness float64, ok bool)
	// Show makes an exhibit of an answer that Rate took. An error is no failure of the score: it becomes a note.
	Show(e mllog.AccuracyEntry) (sdk.Exhibit, error)
}

// mostHeld bounds the payloads that are kept until the end, in bytes.
const mostHeld = 256 << 20

// Scorer is a scorer that adds to its score the most exhibits that are wanted (Request.Exhibits), the worst first; with
// none wanted it is of alone. Of several entries of one sample the first is looked at.
func Scorer(of sdk.Scorer, most int, g Gallery) sdk.Scorer {
	if most <= 0 {
		return of
	}
	return &scorer{Scorer: of, gallery: g, most: min(most, sdk.MostExhibits), seen: map[uint64]bool{}}
}

type scorer struct {
	sdk.Scorer
	gallery Gallery
	most    int
	seen    map[uint64]bool
	worst   []rated // the worst first
	held    int     // bytes of payloads
}

type rated struct {
	entry   mllog.AccuracyEntry
	badness float64
}

// Add scores the entry and looks at it.
func (s *scorer) Add(e mllog.AccuracyEntry) error {
	if err := s.Scorer.Add(e); err != nil || s.seen[e.QSLIndex] {
		return err
	}
	s.seen[e.QSLIndex] = true
	if badness, ok := s.gallery.Rate(e); ok && !math.IsNaN(badness) {
		s.keep(rated{e, badness})
	}
	return nil
}

// keep takes an entry in if it is among the worst. Of equal ones the first of the data set count, in whatever order the
// answers came.
func (s *scorer) keep(r rated) {
	at, _ := slices.BinarySearchFunc(s.worst, r, func(a, b rated) int {
		return cmp.Or(cmp.Compare(b.badness, a.badness), cmp.Compare(a.entry.QSLIndex, b.entry.QSLIndex))
	})
	if at >= s.most || len(r.entry.Data) > mostHeld {
		return
	}
	r.entry.Data, r.entry.TokenData = slices.Clone(r.entry.Data), slices.Clone(r.entry.TokenData)
	s.worst = slices.Insert(s.worst, at, r)
	for s.held += len(r.entry.Data); len(s.worst) > s.most || s.held > mostHeld; {
		last := len(s.worst) - 1
		s.held -= len(s.worst[last].entry.Data)
		s.worst = s.worst[:last]
	}
}

// Result is the score with the exhibits.
func (s *scorer) Result() (sdk.Score, error) {
	score, err := s.Scorer.Result()
	if err != nil {
		return score, err
	}
	for _, r := range s.worst {
		e, err := s.gallery.Show(r.entry)
		if err == nil {
			err = e.Check()
		}
		if err != nil {
			score.Notes = append(score.Notes, fmt.Sprintf("sample %d is not shown: %v", r.entry.QSLIndex, err))
			break // the others have the same fault
		}
		score.Exhibits = append(score.Exhibits, e)
	}
	return score, nil
}

// Close closes the scorer, where that is to be done.
func (s *scorer) Close() error {
	var errs []error
	for _, c := range []any{s.Scorer, s.gallery} {
		if c, ok := c.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}

// Worst lists the most of n samples that are worst, the worst first: for scorers that know only at their end how bad an
// answer is. Of equal ones the first come first; those that are as right as can be, 0, are listed too.
func Worst(n, most int, badness func(i int) float64) []int {
	if most <= 0 {
		return nil
	}
	numbers, values := make([]int, n), make([]float64, n)
	for i := range numbers {
		numbers[i], values[i] = i, badness(i)
	}
	slices.SortStableFunc(numbers, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	return numbers[:min(n, most, sdk.MostExhibits)]
}
