package sdxl

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/plugins/sdxl/internal/score"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
)

// shownSide is the side of a shown picture in pixels.
const shownSide = 192

// newPictureSheet returns a gallery of the data set's first pictures with their captions. Single pictures have no
// score, because FID covers all of them.
func newPictureSheet(o score.ScoreOptions) exhibit.Gallery {
	return func(e mllog.AccuracyEntry) (badness float64, show exhibit.ShowFunc) {
		return 0, func() (sdk.Exhibit, error) {
			text, err := exhibit.PNG(exhibit.Thumbnail(payloadPicture{e.Data, o.Width, o.Height}, shownSide))
			return sdk.Exhibit{Caption: fmt.Sprintf("%d: %s", e.QSLIndex, o.Captions[e.QSLIndex]), PNG: text}, err
		}
	}
}
