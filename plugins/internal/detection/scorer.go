package detection

import (
	"context"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy/coco"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

// OpenScorer reads the true boxes of the data set. The parameters inverse_map and remove_empty are options of the
// official scripts; mlmark_map adds that metric. A parameter that the manifest lacks is false.
func OpenScorer(_ context.Context, r *manifest.Request) (sdk.Scorer, error) {
	source := ReadSource(r)
	var o ScoringRules
	r.Bind(&o)
	g, pictures := source.readTruth(o.RemoveEmpty)
	if err := r.Err(); err != nil {
		return nil, err
	}
	c, err := coco.New(g, o.EvalOptions)
	if err != nil {
		return nil, sdk.Data(err)
	}
	log := scoring.Log{Samples: pictures.Len()}
	if !o.RemoveEmpty { // otherwise samples are in a different order
		log.Exhibits, log.Gallery = r.Exhibits, newGallery(g, pictures, o.EvalOptions).ratePicture
	}
	return scoring.New(c, log, boxScorer{c, o.MLMark}.scoreBoxes), nil
}

// ScoringRules contains the rules for scoring boxes. A rule that a benchmark's manifest lacks is omitted.
type ScoringRules struct {
	MLMark bool `param:"mlmark_map,optional"`
	coco.EvalOptions
}

// boxScorer reports the mAP. If a sample has several entries in the log, the first one counts.
type boxScorer struct {
	coco   *coco.DetectionScorer
	mlmark bool // also report MLMark's mAP
}

func (s boxScorer) scoreBoxes(r coco.DetectionResult, c scoring.Counts) (sdk.Score, error) {
	metrics := []sdk.Metric{{Name: "mAP", Unit: "%", Value: r.MAP()}}
	if s.mlmark {
		metrics = append(metrics, sdk.Metric{Name: "mlmark_map", Unit: "%", Value: s.coco.MLMark()})
	}
	return sdk.Score{
		Metrics: metrics, OfficialText: r.Stats.String() + "\n" + r.String(), Notes: scoreNotes(r, c),
	}, nil
}

// maxDisagreements limits the disagreements that are listed, because a faulty SUT has one in every detection.
const maxDisagreements = 10

func scoreNotes(r coco.DetectionResult, c scoring.Counts) sdk.Notes {
	n := c.Notes("samples", "the mAP is that")
	n.AddCount(r.Empty, "%d samples without any detection")
	n.AddCount(r.Unknown, "%d of %d detections are of categories that the data set lacks: they have no effect",
		r.Detections)
	if r.AP < 0 {
		n.Add("the images of the log hold no object: the mAP of -100 stands for none")
	}
	n.AddCount(len(r.Disagreements), "%d detections name another sample than their entry:\n%s",
		listDisagreements(r.Disagreements))
	return n
}

func listDisagreements(all []coco.Disagreement) string {
	texts := []string{}
	for _, d := range all[:min(len(all), maxDisagreements)] {
		texts = append(texts, d.String())
	}
	return strings.Join(texts, "\n")
}
