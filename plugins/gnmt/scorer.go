package gnmt

import (
	"fmt"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/accuracy/bleu"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

// translationMetrics computes BLEU as the official script does, and sacreBLEU of the same texts. If a sentence has
// several entries in the log, the first one counts.
type translationMetrics struct {
	*bleu.TranslationScorer
	sacre      *bleu.SacreScorer
	references []string
	seen       []bool
}

func newScorer(text sentencePairs, s searchSettings, exhibits int) sdk.Scorer {
	m := &translationMetrics{bleu.New(text.references), bleu.NewSacre(s.SacreOptions), text.references, make([]bool,
		len(text.references))}
	log := scoring.Log{Samples: len(text.sources), Exhibits: exhibits, Gallery: newWorstGallery(text)}
	return scoring.New(m, log, translationScorer{text, s, m.sacre}.scoreTranslations)
}

// Add adds a translation to both metrics.
func (m *translationMetrics) Add(sample uint64, answer []byte) error {
	if err := m.TranslationScorer.Add(sample, answer); err != nil || m.seen[sample] {
		return err
	}
	m.seen[sample] = true
	text := string(answer)
	if !utf8.ValidString(text) { // such a text also counts as empty in BLEU
		text = ""
	}
	m.sacre.Add(m.references[sample], text)
	return nil
}

// translationScorer reports the metrics.
type translationScorer struct {
	text     sentencePairs
	settings searchSettings
	sacre    *bleu.SacreScorer
}

func (s translationScorer) scoreTranslations(r bleu.TranslationResult, c scoring.Counts) (sdk.Score, error) {
	sacre := sdk.Metric{Name: "sacreBLEU", Value: s.sacre.Result().Score}
	score := sdk.Score{
		Metrics:      []sdk.Metric{{Name: "BLEU", Value: 100 * r.BLEU()}, sacre},
		OfficialText: r.String(), Notes: s.scoreNotes(r, c),
	}
	if s.settings.PlainText {
		score.Metrics, score.OfficialText = []sdk.Metric{sacre}, fmt.Sprintf("sacreBLEU: %.1f", sacre.Value)
	}
	return score, nil
}

func (s translationScorer) scoreNotes(r bleu.TranslationResult, c scoring.Counts) (n sdk.Notes) {
	target := "the official target is of BLEU"
	if s.settings.PlainText {
		target = "the official BLEU and its target are of GNMT on pieces, and not of plain text"
	}
	letters := "as they are"
	if s.settings.SacreOptions.Lowercase {
		letters = "made small"
	}
	n.Add("sacreBLEU: tokenizer %v, letters %s, smoothing %v, of the words as they are in the log; %s",
		s.settings.SacreOptions.Tokenizer, letters, s.settings.SacreOptions.Smoothing, target)
	n.AddCount(c.Repeated(), "%d entries dropped: their sentences had been translated before")
	n.AddCount(r.Damaged, "%d entries are not text, at which the official script stops; they count as empty "+
		"translations: %v",
		r.Faults)
	n.AddMissing(c.Missing(), c.All, "sentences", "the metrics are those")
	if s.text.remark != "" {
		n.Add("%s", s.text.remark)
	}
	return n
}
