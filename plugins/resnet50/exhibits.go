package resnet50

import (
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/accuracy/payload"
	"github.com/plumbline-ml/plumbline/accuracy/topk"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/plugins/internal/pictures"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
)

// gallery shows pictures of which the class is another one.
type gallery struct {
	set   labelled
	dtype payload.DType
}

// side is the longer side of a shown picture in pixels.
const side = 192

func (g gallery) Rate(e mllog.AccuracyEntry) (badness float64, ok bool) {
	class, err := topk.Class(g.dtype, e.Data)
	return 1, err == nil && class != int64(g.set.Label(int(e.QSLIndex)))
}

func (g gallery) Show(e mllog.AccuracyEntry) (sdk.Exhibit, error) {
	i := int(e.QSLIndex)
	class, err := topk.Class(g.dtype, e.Data)
	if err != nil {
		return sdk.Exhibit{}, err
	}
	set, ok := g.set.(pictures.Set)
	if !ok { // the labels of a data set are read without its pictures, which may not be there
		return sdk.Exhibit{}, errors.New("the data set has no pictures")
	}
	p, err := pictures.Decode(set, i)
	if err != nil {
		return sdk.Exhibit{}, err
	}
	text, err := exhibit.PNG(exhibit.Thumbnail(p, side))
	return sdk.Exhibit{
		Caption: fmt.Sprintf("%s: class %d, the model says %d", g.set.Name(i), g.set.Label(i), class), PNG: text,
	}, err
}
