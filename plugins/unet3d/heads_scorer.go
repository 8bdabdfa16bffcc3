package unet3d

import (
	"fmt"
	"image"
	"math"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/accuracy/dice"
	"github.com/plumbline-ml/plumbline/datasets/brats"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/preprocess/volume"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

// headScorer computes the DICE scores of the three regions. Each case must occur in the log exactly once.
type headScorer struct {
	headBinding
	heads headSet
	dice  *dice.HeadScorer
}

func newHeadScorer(b headBinding, set headSet, d accuracy.DType, exhibits int) (sdk.Scorer, error) {
	truth := make([]dice.Head, set.Len())
	for i := range truth {
		truth[i] = dice.Head{Name: set.Name(i), Raw: set.Shape(i),
			Box: func() (low, size [3]int, err error) {
				box, err := set.Box(b.recipe, i)
				return box.Low, box.Size, err
			},
			Labels: func() ([]uint8, error) { return set.Labels(i) },
		}
	}
	s, err := dice.NewHeads(truth, dice.HeadOptions{DType: d, Padded: b.recipe.PaddedShape()})
	if err != nil {
		return nil, sdk.Data(err)
	}
	of := &headScorer{b, set, s}
	return scoring.New(s, scoring.Log{Samples: set.Len(), Exhibits: exhibits, Gallery: of.rateHead}, of.scoreRegions),
		nil
}

// scoreRegions returns the exact means. A region that occurs in no case has no metric, and neither has the overall
// mean; a note explains this.
func (s *headScorer) scoreRegions(r dice.HeadResult, _ scoring.Counts) (sdk.Score, error) {
	if err := s.heads.CheckAmbiguity(); err != nil {
		return sdk.Score{}, sdk.Data(err)
	}
	score := sdk.Score{OfficialText: r.String()}
	var n sdk.Notes
	add := func(name string, v float64) {
		if math.IsNaN(v) {
			n.Add("%s is nan: a region is neither labelled nor found in any case", name)
			return
		}
		score.Metrics = append(score.Metrics, sdk.Metric{Name: name, Value: v})
	}
	add("DICE", r.Mean)
	for k, name := range []string{"whole tumour DICE", "tumour core DICE", "enhancing tumour DICE"} {
		add(name, r.Regions[k])
	}
	n.AddCount(r.NaNs, "%d voxels have logits that are no number: each is the class of the first of them, as in the "+
		"official script")
	if full := len(r.Unpadded); full > 0 {
		n.Add("heads that fill an axis of the model's input: %d, %s first; the official script stops at them", full,
			r.Unpadded[0])
	}
	score.Notes = n
	return score, nil
}

// rateHead rates a head by the mean of its regions' scores.
func (s *headScorer) rateHead(e mllog.AccuracyEntry) (badness float64, show exhibit.ShowFunc) {
	return 1 - meanRegionScore(s.dice.ScoreOf(e.QSLIndex)), func() (sdk.Exhibit, error) { return s.showHead(e) }
}

func meanRegionScore(score dice.HeadScore) float64 {
	sum, n := 0.0, 0
	for _, v := range score {
		if !math.IsNaN(v) {
			sum, n = sum+v, n+1
		}
	}
	if n == 0 {
		return 1
	}
	return sum / float64(n)
}

// showHead draws the slice of a head with the most classified voxels: two channels, overlaid with the true and the
// predicted classes.
func (s *headScorer) showHead(e mllog.AccuracyEntry) (sdk.Exhibit, error) {
	i := int(e.QSLIndex)
	values, err := s.heads.Image(s.recipe, i)
	if err != nil {
		return sdk.Exhibit{}, err
	}
	labels, err := s.heads.Labels(i)
	if err != nil {
		return sdk.Exhibit{}, err
	}
	box, err := s.heads.Box(s.recipe, i)
	if err != nil {
		return sdk.Exhibit{}, err
	}
	before, err := s.recipe.PaddingBefore(box.Size)
	if err != nil {
		return sdk.Exhibit{}, err
	}
	found, err := s.dice.VoxelClasses(e.QSLIndex, e.Data)
	if err != nil {
		return sdk.Exhibit{}, err
	}
	raw, inner := s.heads.Shape(i), volume.Box{Low: before, Size: box.Size}
	labels, found = volume.CutBox(labels, raw, box), volume.CutBox(found, raw, box)
	z := fullestSlice(box.Size, labels, found)
	padded := s.recipe.PaddedShape()
	channel := func(c int) []float32 {
		return volume.CutBox(values[c*padded.Voxels():][:padded.Voxels()], padded, inner)
	}
	contrast, flair := channel(1), channel(brats.Channels-1)
	plain := func(values []float32) *image.NRGBA { return drawSlice(box.Size, z, values, nil) }
	text, err := exhibit.PNG(exhibit.SideBySide(plain(contrast), plain(flair), drawSlice(box.Size, z, flair, labels),
		drawSlice(box.Size, z, flair, found)))
	score := s.dice.ScoreOf(e.QSLIndex)
	return sdk.Exhibit{PNG: text, Caption: fmt.Sprintf("%s, slice %d: T1 with contrast agent, FLAIR, the labels, the "+
		"model; oedema green, non-enhancing red, enhancing yellow; DICE whole %.3f, core %.3f, enhancing %.3f",
		s.heads.Name(i), z+box.Low[0], score[0], score[1], score[2])}, err
}
