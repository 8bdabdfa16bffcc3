package retinanet

import (
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy/coco"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// scorer computes mAP. Of several entries of one sample the first counts.
type scorer struct {
	coco    *coco.Scorer
	samples int
	mlmark  bool // MLMark's own mAP, too
}

// readScoring reads the options of the official scripts.
func readScoring(p *option.Params) coco.Options {
	return coco.Options{InverseMap: p.Bool("inverse_map"), RemoveEmpty: p.Bool("remove_empty")}
}

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

func (s *scorer) notes(r coco.Result) []string {
	var notes []string
	add := func(format string, a ...any) { notes = append(notes, fmt.Sprintf(format, a...)) }
	if r.Duplicates > 0 {
		add("%d entries dropped: their samples had been answered before", r.Duplicates)
	}
	if missing := s.samples - r.Images; missing > 0 {
		add("%d of %d samples are not in the log; the mAP is that of the others", missing, s.samples)
	}
	if r.Empty > 0 {
		add("%d samples without any detection", r.Empty)
	}
	if r.Unknown > 0 {
		add("%d of %d detections are of categories that the data set lacks: they have no effect", r.Unknown, r.Detections)
	}
	if r.AP < 0 {
		add("the images of the log hold no object: the mAP of -100 stands for none")
	}
	if n := len(r.Disagreements); n > 0 {
		add("%d detections name another sample than their entry:\n%s", n, listed(r.Disagreements))
	}
	return notes
}

func listed(all []coco.Disagreement) string {
	var lines []string
	for _, d := range all[:min(len(all), mostDisagreements)] {
		lines = append(lines, d.String())
	}
	return strings.Join(lines, "\n")
}
