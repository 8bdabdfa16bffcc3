package gnmt

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/accuracy/bleu"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
)

// scorer computes BLEU as the official script does, and sacreBLEU of the same text. Of several entries of one sentence
// the first counts.
type scorer struct {
	text      sentences
	bleu      *bleu.Scorer
	sacre     *bleu.Sacre
	seen      []bool
	tokenizer bleu.Tokenizer
}

func newScorer(text sentences, s settings) *scorer {
	return &scorer{
		text: text, bleu: bleu.New(text.references), sacre: bleu.NewSacre(bleu.Options{Tokenizer: s.tokenizer}),
		seen: make([]bool, len(text.references)), tokenizer: s.tokenizer,
	}
}

func (s *scorer) Add(e mllog.AccuracyEntry) error {
	if err := s.bleu.Add(e.QSLIndex, e.Data); err != nil {
		return sdk.Data(err)
	}
	if !s.seen[e.QSLIndex] {
		s.seen[e.QSLIndex] = true
		s.sacre.Add(s.text.references[e.QSLIndex], string(e.Data))
	}
	return nil
}

func (s *scorer) Result() (sdk.Score, error) {
	r, err := s.bleu.Result()
	if err != nil {
		return sdk.Score{}, sdk.Data(err)
	}
	return sdk.Score{
		Metrics: []sdk.Metric{
			{Name: "BLEU", Value: 100 * r.BLEU()}, {Name: "sacreBLEU", Value: s.sacre.Result().Score},
		},
		Samples: r.Entries, OfficialText: r.String(), Notes: s.notes(r),
	}, nil
}

func (s *scorer) notes(r bleu.Result) []string {
	notes := []string{fmt.Sprintf("sacreBLEU: tokenizer %v, letters as they are, smoothing exp, of the words as they "+
		"are in the log; the official target is of BLEU", s.tokenizer)}
	add := func(n int, format string, args ...any) {
		if n > 0 {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	add(r.Again, "%d entries dropped: their sentences had been translated before", r.Again)
	add(r.Damaged, "%d entries are no text, at which the official script stops; they count as empty translations: %v",
		r.Damaged, r.Faults)
	missing := len(s.text.sources) - r.Entries
	add(missing, "%d of %d sentences are not in the log; the metrics are those of the others", missing,
		len(s.text.sources))
	add(len(s.text.remark), "%s", s.text.remark)
	return notes
}
