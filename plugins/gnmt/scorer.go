package gnmt

import (
	"fmt"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/accuracy/bleu"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
)

// scorer computes BLEU as the official script does, and sacreBLEU of the same text. Of several entries of one sentence
// the first counts.
type scorer struct {
	text     sentences
	bleu     *bleu.Scorer
	sacre    *bleu.Sacre
	seen     []bool
	settings settings
}

func newScorer(text sentences, s settings) *scorer {
	return &scorer{
		text: text, bleu: bleu.New(text.references), sacre: bleu.NewSacre(s.sacre),
		seen: make([]bool, len(text.references)), settings: s,
	}
}

func (s *scorer) Add(e mllog.AccuracyEntry) error {
	if err := s.bleu.Add(e.QSLIndex, e.Data); err != nil {
		return sdk.Data(err)
	}
	if !s.seen[e.QSLIndex] {
		s.seen[e.QSLIndex] = true
		text := string(e.Data)
		if !utf8.ValidString(text) { // which counts as empty in BLEU, too
			text = ""
		}
		s.sacre.Add(s.text.references[e.QSLIndex], text)
	}
	return nil
}

func (s *scorer) Result() (sdk.Score, error) {
	r, err := s.bleu.Result()
	if err != nil {
		return sdk.Score{}, sdk.Data(err)
	}
	sacre := sdk.Metric{Name: "sacreBLEU", Value: s.sacre.Result().Score}
	score := sdk.Score{
		Metrics: []sdk.Metric{{Name: "BLEU", Value: 100 * r.BLEU()}, sacre},
		Samples: r.Entries, OfficialText: r.String(), Notes: s.notes(r),
	}
	if s.settings.plain {
		score.Metrics, score.OfficialText = []sdk.Metric{sacre}, fmt.Sprintf("sacreBLEU: %.1f", sacre.Value)
	}
	return score, nil
}

func (s *scorer) notes(r bleu.Result) (n sdk.Notes) {
	target := "the official target is of BLEU"
	if s.settings.plain {
		target = "the official BLEU and its target are of GNMT on pieces, and not of plain text"
	}
	letters := "as they are"
	if s.settings.sacre.Lowercase {
		letters = "made small"
	}
	n.Add("sacreBLEU: tokenizer %v, letters %s, smoothing %v, of the words as they are in the log; %s",
		s.settings.sacre.Tokenizer, letters, s.settings.sacre.Smoothing, target)
	n.Count(r.Again, "%d entries dropped: their sentences had been translated before")
	n.Count(r.Damaged, "%d entries are not text, at which the official script stops; they count as empty translations: %v",
		r.Faults)
	all := len(s.text.sources)
	n.Missing(all-r.Entries, all, "sentences", "the metrics are those")
	if s.text.remark != "" {
		n.Add("%s", s.text.remark)
	}
	return n
}
