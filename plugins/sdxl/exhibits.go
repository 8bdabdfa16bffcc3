package sdxl

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/plugins/sdxl/internal/score"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
)

// side is that of a shown picture in pixels.
const side = 192

// showSheet shows the first pictures of the data set with their captions. None is bad by itself: FID is of all of them.
func showSheet(o score.ScoreOptions) exhibit.Gallery {
	return func(e mllog.AccuracyEntry) (badness float64, show exhibit.ShowFunc) {
		return 0, func() (sdk.Exhibit, error) {
			text, err := exhibit.PNG(exhibit.Thumbnail(levelsOf{e.Data, o.Width, o.Height}, side))
			return sdk.Exhibit{Caption: fmt.Sprintf("%d: %s", e.QSLIndex, o.Captions[e.QSLIndex]), PNG: text}, err
		}
	}
}
