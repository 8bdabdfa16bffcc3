package pointpainting

import (
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/accuracy/kitti3d"
	"github.com/plumbline-ml/plumbline/datasets/waymo"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

// newPrecisionScorer returns a scorer of average precisions. Each frame must be in the log, unless missingIsEmpty is
// set.
func newPrecisionScorer(b networkBinding, set waymo.FrameSource, missingIsEmpty bool, exhibits int) sdk.Scorer {
	frames := make([]kitti3d.Frame, set.Len())
	for i := range frames {
		f := set.Frame(i)
		objects := make([]kitti3d.TrueObject, len(f.Objects))
		for k, object := range f.Objects {
			objects[k] = toTrueObject(object)
		}
		frames[i] = kitti3d.Frame{Image: f.Image, Objects: objects}
	}
	metric := kitti3d.New(frames)
	metric.MissingIsEmpty = missingIsEmpty
	add := func(sample uint64, answer []byte) error { return metric.Add(int(sample), answer) }
	log := scoring.Log{Samples: set.Len(), Exhibits: exhibits, Gallery: (&frameGallery{b, set}).rateFrame}
	return scoring.New(scoring.Of(add, metric.Result), log, makeScore)
}

func toTrueObject(o waymo.FrameObject) kitti3d.TrueObject {
	return kitti3d.TrueObject{
		Name: o.Name, Difficulty: o.Difficulty,
		Box: kitti3d.Box{Location: o.Location, Dimensions: o.Dimensions, RotationY: o.RotationY},
	}
}

// makeScore returns the score as fractions, like the official target. The official line contains percentages.
func makeScore(r kitti3d.PrecisionResult, c scoring.Counts) (sdk.Score, error) {
	if math.IsNaN(r.Total) {
		return sdk.Score{}, sdk.Data(fmt.Errorf("the mAP is NaN, as in the official script: at some score, no detection of "+
			"a class counts as right or wrong: %s", r.Text()))
	}
	score := sdk.Score{
		Metrics: []sdk.Metric{{Name: "mAP", Value: r.Total / 100}}, Samples: c.All, OfficialText: r.Text(),
	}
	for i, name := range kitti3d.Classes() {
		score.Metrics = append(score.Metrics, sdk.Metric{Name: name + " AP", Value: r.Classes[i] / 100})
	}
	score.Notes = scoreNotes(r, c)
	return score, nil
}

func scoreNotes(r kitti3d.PrecisionResult, c scoring.Counts) (n sdk.Notes) {
	n.AddDropped(c.Repeated())
	n.AddCount(r.Missing, "%d frames are not in the log: they count as frames in which nothing was found "+
		"(missing=empty), "+
		"where the official script stops")
	n.AddCount(r.Empty, "%d frames in which nothing was found")
	n.AddCount(r.Unscored, "%d of %d detections have a score that is NaN: they are neither right nor wrong, as in the "+
		"official script", r.Found)
	n.AddCount(r.UpsideDown, "%d of %d boxes lie wholly above or below the picture of camera 4, into which all are "+
		"projected: "+
		"they are neither right nor wrong, as in the official script", r.Found)
	n.Add("the official line has percent: its Total of %.4g is the mAP of %.4g. The official checker compares the Total "+
		"with a target of 0.5419575, which is a share of 1: it accepts any model above 0.54 percent", r.Total, r.Total/100)
	return n
}
