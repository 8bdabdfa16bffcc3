package resnet50

import (
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/accuracy/topk"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/plugins/internal/pictures"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
)

// shownSide is the longer side of a shown picture in pixels.
const shownSide = 192

// wrongPictures returns a gallery of misclassified pictures.
func wrongPictures(labels labelSet, dtype accuracy.DType) exhibit.Gallery {
	return func(e mllog.AccuracyEntry) (badness float64, show exhibit.ShowFunc) {
		i := int(e.QSLIndex)
		class, err := topk.Class(dtype, e.Data)
		if err != nil || class == int64(labels.Label(i)) {
			return 0, nil
		}
		return 1, func() (sdk.Exhibit, error) {
			set, ok := labels.(pictures.PictureSet)
			if !ok { // labels were read without the pictures, which may be missing
				return sdk.Exhibit{}, errors.New("the data set has no pictures")
			}
			p, err := pictures.DecodePicture(set, i)
			if err != nil {
				return sdk.Exhibit{}, err
			}
			text, err := exhibit.PNG(exhibit.Thumbnail(p, shownSide))
			return sdk.Exhibit{
				Caption: fmt.Sprintf("%s: class %d, the model says %d", labels.Name(i), labels.Label(i), class), PNG: text,
			}, err
		}
	}
}
