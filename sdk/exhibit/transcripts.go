package exhibit

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
)

// Transcripts returns a gallery of the transcribed clips with the greatest share of wrong words. name returns a clip's
// name and said its reference. compare returns the text of an answer, the number of wrong words, and the number of
// words in the reference.
func Transcripts(name, said func(clip int) string,
	compare func(clip uint64, payload []byte) (text string, wrong, words int, err error)) Gallery {
	return func(e mllog.AccuracyEntry) (badness float64, show ShowFunc) {
		text, wrong, words, err := compare(e.QSLIndex, e.Data)
		if err != nil {
			return 0, nil
		}
		clip := int(e.QSLIndex)
		return float64(wrong) / float64(max(1, words)), func() (sdk.Exhibit, error) {
			return sdk.Exhibit{
				Caption: fmt.Sprintf("%s: %d words wrong, of %d", name(clip), wrong, words),
				Text:    Paragraphs("SAID", said(clip), "HEARD", text),
			}, nil
		}
	}
}
