package gnmt

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
)

// newWorstGallery returns a gallery of the translations whose words differ most from those of the reference.
func newWorstGallery(text sentencePairs) exhibit.Gallery {
	return func(e mllog.AccuracyEntry) (badness float64, show exhibit.ShowFunc) {
		i, reference := e.QSLIndex, text.references[e.QSLIndex]
		badness = exhibit.TextDistance(reference, string(e.Data))
		return badness, func() (sdk.Exhibit, error) {
			return sdk.Exhibit{
				Caption: fmt.Sprintf("sentence %d: %.0f %% of the words are alike", i, 100*(1-badness)),
				Text:    exhibit.Paragraphs("SOURCE", text.sources[i], "REFERENCE", reference, "TRANSLATION", string(e.Data)),
			}, nil
		}
	}
}
