package rgat

import (
	"fmt"

	accuracy "github.com/plumbline-ml/plumbline/accuracy/rgat"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
)

// wrongPapers returns a gallery of misclassified papers.
func wrongPapers(ids []uint32, labels []int, format accuracy.ClassFormat) exhibit.Gallery {
	return func(e mllog.AccuracyEntry) (badness float64, show exhibit.ShowFunc) {
		i := e.QSLIndex
		class, err := format.Class(e.Data)
		if err != nil || class == int64(labels[i]) {
			return 0, nil
		}
		return 1, func() (sdk.Exhibit, error) {
			return sdk.Exhibit{
				Caption: fmt.Sprintf("sample %d", i),
				Text:    fmt.Sprintf("paper %d of the graph\nclass %d\nthe model says %d", ids[i], labels[i], class),
			}, nil
		}
	}
}
