package whisper

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/accuracy/wer"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
)

// gallery shows the transcripts with the most wrong words of those that there are.
type gallery struct {
	clips clips
	words *wer.Scorer
}

func (g gallery) Rate(e mllog.AccuracyEntry) (badness float64, ok bool) {
	_, wrong, words, err := g.words.Compare(e.QSLIndex, e.Data)
	return float64(wrong) / float64(max(1, words)), err == nil
}

func (g gallery) Show(e mllog.AccuracyEntry) (sdk.Exhibit, error) {
	i := int(e.QSLIndex)
	text, wrong, words, err := g.words.Compare(e.QSLIndex, e.Data)
	return sdk.Exhibit{
		Caption: fmt.Sprintf("clip %d: %d words wrong, of %d", i, wrong, words),
		Text:    exhibit.Texts("SAID", g.clips.Transcript(i), "HEARD", text),
	}, err
}
