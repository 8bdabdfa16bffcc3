package sdxl

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/plugins/sdxl/score"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
)

// sheet shows the first pictures of the data set with their captions. None is bad by itself: FID is of all of them.
type sheet struct{ score.Options }

// side is that of a shown picture in pixels.
const side = 192

func (s sheet) Rate(mllog.AccuracyEntry) (badness float64, ok bool) { return 0, true }

func (s sheet) Show(e mllog.AccuracyEntry) (sdk.Exhibit, error) {
	text, err := exhibit.PNG(exhibit.Thumbnail(levelsOf{e.Data, s.Width, s.Height}, side))
	return sdk.Exhibit{Caption: fmt.Sprintf("%d: %s", e.QSLIndex, s.Captions[e.QSLIndex]), PNG: text}, err
}
