package detection

import (
	"context"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy/coco"
	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// scorer computes mAP. Of several entries of one sample the first counts.
type scorer struct {
	coco    *coco.Scorer
	samples int
	mlmark  bool // MLMark's own mAP, too
}

// Score reads the true boxes of the data set. The parameters inverse_map and remove_empty are the options of the
// official scripts, mlmark_map adds that metric; each is false where a benchmark's manifest does not have it.
func Score(_ context.Context, r *manifest.Request) (sdk.Scorer, error) {
	source, mlmark := ReadSource(r), asked(r.Params, "mlmark_map")
	o := coco.Options{InverseMap: asked(r.Params, "inverse_map"), RemoveEmpty: asked(r.Params, "remove_empty")}
	g, pictures := source.truth(o.RemoveEmpty)
	if err := r.Err(); err != nil {
		return nil, err
	}
	s, err := newScorer(g, pictures.Len(), o, mlmark)
	if err != nil || o.RemoveEmpty { // which leaves samples in an order of its own
		return s, err
	}
	return exhibit.Scorer(s, r.Exhibits, newGallery(g, pictures, o)), nil
}

func asked(p *option.Params, name string) bool { return p.Text(name) != "" && p.Bool(name) }

func newScorer(g coco.GroundTruth, samples int, o coco.Options, mlmark bool) (*scorer, error) {
	c, err := coco.New(g, o)
	if err != nil {
		return nil, sdk.Data(err)
	}
	return &scorer{c, samples, mlmark}, nil
}

func (s *scorer) Add(e mllog.AccuracyEntry) error {
	return sdk.Data(s.coco.Add(e.QSLIndex, e.Data))
}

func (s *scorer) Result() (sdk.Score, error) {
	r, err := s.coco.Result()
	if err != nil {
		return sdk.Score{}, sdk.Data(err)
	}
	metrics := []sdk.Metric{{Name: "mAP", Unit: "%", Value: r.MAP()}}
	if s.mlmark {
		metrics = append(metrics, sdk.Metric{Name: "mlmark_map", Unit: "%", Value: s.coco.MLMark()})
	}
	return sdk.Score{
		Metrics:      metrics,
		Samples:      r.Images,
		OfficialText: r.Stats.String() + "\n" + r.String(),
		Notes:        s.notes(r),
	}, nil
}

// mostDisagreements is how many disagreements are listed: a wrong SUT has them in every detection.
const mostDisagreements = 10

func (s *scorer) notes(r coco.Result) (n sdk.Notes) {
	n.Dropped(r.Duplicates)
	n.Missing(s.samples-r.Images, s.samples, "samples", "the mAP is that")
	n.Count(r.Empty, "%d samples without any detection")
	n.Count(r.Unknown, "%d of %d detections are of categories that the data set lacks: they have no effect", r.Detections)
	if r.AP < 0 {
		n.Add("the images of the log hold no object: the mAP of -100 stands for none")
	}
	n.Count(len(r.Disagreements), "%d detections name another sample than their entry:\n%s", listed(r.Disagreements))
	return n
}

func listed(all []coco.Disagreement) string {
	return strings.Join(lists.Map(all[:min(len(all), mostDisagreements)], coco.Disagreement.String), "\n")
}
