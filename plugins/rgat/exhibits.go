package rgat

import (
	"fmt"

	accuracy "github.com/plumbline-ml/plumbline/accuracy/rgat"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
)

// gallery shows papers of which the class is another one.
type gallery struct {
	ids    []uint32
	labels []int
	format accuracy.Format
}

func (g gallery) Rate(e mllog.AccuracyEntry) (badness float64, ok bool) {
	class, err := g.format.Class(e.Data)
	return 1, err == nil && class != int64(g.labels[e.QSLIndex])
}

func (g gallery) Show(e mllog.AccuracyEntry) (sdk.Exhibit, error) {
	class, err := g.format.Class(e.Data)
	return sdk.Exhibit{
		Caption: fmt.Sprintf("sample %d", e.QSLIndex),
		Text: fmt.Sprintf("paper %d of the graph\nclass %d\nthe model says %d", g.ids[e.QSLIndex], g.labels[e.QSLIndex],
			class),
	}, err
}
