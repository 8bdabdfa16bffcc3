package sdxl

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/plugins/sdxl/internal/score"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
)

// side is the side of a shown picture in pixels.
const side = 192

// showSheet returns a gallery of the data set's first pictures with their captions. Single pictures have no score,
// because FID covers all of them.
func showSheet(o score.ScoreOptions) exhibit.Gallery {
	return func(e mllog.AccuracyEntry) (badness float64, show exhibit.ShowFunc) {
		return 0, func() (sdk.Exhibit, error) {
			text, err := exhibit.PNG(exhibit.Thumbnail(levelsOf{e.Data, o.Width, o.Height}, side))
			return sdk.Exhibit{Caption: fmt.Sprintf("%d: %s", e.QSLIndex, o.Captions[e.QSLIndex]), PNG: text}, err
		}
	}
}
