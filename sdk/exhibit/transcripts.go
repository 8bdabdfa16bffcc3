package exhibit

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
)

// Transcripts is a Gallery of what was heard: the clips with the greatest share of wrong words.
type Transcripts struct {
	Name func(clip int) string
	Said func(clip int) string // the reference
	// Compare is the text of an answer, how many of its words are wrong, and how many words the reference has.
	Compare func(clip uint64, payload []byte) (text string, wrong, words int, err error)
}

// Rate implements Gallery.
func (t Transcripts) Rate(e mllog.AccuracyEntry) (badness float64, ok bool) {
	_, wrong, words, err := t.Compare(e.QSLIndex, e.Data)
	return float64(wrong) / float64(max(1, words)), err == nil
}

// Show implements Gallery.
func (t Transcripts) Show(e mllog.AccuracyEntry) (sdk.Exhibit, error) {
	clip := int(e.QSLIndex)
	text, wrong, words, err := t.Compare(e.QSLIndex, e.Data)
	return sdk.Exhibit{
		Caption: fmt.Sprintf("%s: %d words wrong, of %d", t.Name(clip), wrong, words),
		Text:    Texts("SAID", t.Said(clip), "HEARD", text),
	}, err
}
