package gnmt

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
)

// gallery shows translations whose words are least like those of the reference.
type gallery struct{ text sentences }

func (g gallery) Rate(e mllog.AccuracyEntry) (badness float64, ok bool) {
	return exhibit.Unlike(g.text.references[e.QSLIndex], string(e.Data)), true
}

func (g gallery) Show(e mllog.AccuracyEntry) (sdk.Exhibit, error) {
	i, reference := e.QSLIndex, g.text.references[e.QSLIndex]
	return sdk.Exhibit{
		Caption: fmt.Sprintf("sentence %d: %.0f %% of the words are alike", i,
			100*(1-exhibit.Unlike(reference, string(e.Data)))),
		Text: exhibit.Texts("SOURCE", g.text.sources[i], "REFERENCE", reference, "TRANSLATION", string(e.Data)),
	}, nil
}
