package unet3d

import (
	"fmt"
	"image"
	"math"

	"github.com/plumbline-ml/plumbline/accuracy/dice"
	"github.com/plumbline-ml/plumbline/accuracy/payload"
	"github.com/plumbline-ml/plumbline/datasets/brats"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/preprocess/volume"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
)

// headScorer computes the DICE of the three regions. Each case must be in the log exactly once.
type headScorer struct {
	headBinding
	heads heads
	dice  *dice.HeadScorer
}

func newHeadScorer(b headBinding, set heads, d payload.DType) (*headScorer, error) {
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
	s, err := dice.NewHeads(truth, dice.HeadOptions{DType: d, Padded: b.recipe.Padded()})
	if err != nil {
		return nil, sdk.Data(err)
	}
	return &headScorer{b, set, s}, nil
}

func (s *headScorer) Add(e mllog.AccuracyEntry) error {
	return sdk.Data(s.dice.Add(e.QSLIndex, e.Data))
}

// Result has the exact means. A region that no case has, and with it the mean, is no metric: a note says why.
func (s *headScorer) Result() (sdk.Score, error) {
	r, err := s.dice.Result()
	if err == nil {
		err = s.heads.Doubt()
	}
	if err != nil {
		return sdk.Score{}, sdk.Data(err)
	}
	score := sdk.Score{Samples: len(r.Cases), OfficialText: r.String()}
	add := func(name string, v float64) {
		if math.IsNaN(v) {
			score.Notes = append(score.Notes, fmt.Sprintf("%s is nan: a region is neither labelled nor found in any case",
				name))
			return
		}
		score.Metrics = append(score.Metrics, sdk.Metric{Name: name, Value: v})
	}
	add("DICE", r.Mean)
	for k, name := range []string{"whole tumour DICE", "tumour core DICE", "enhancing tumour DICE"} {
		add(name, r.Regions[k])
	}
	if r.NaNs > 0 {
		score.Notes = append(score.Notes, fmt.Sprintf("%d voxels have logits that are no number: each is the class of the "+
			"first of them, as in the official script", r.NaNs))
	}
	if n := len(r.Unpadded); n > 0 {
		score.Notes = append(score.Notes, fmt.Sprintf("heads that fill an axis of the model's input: %d, %s first; the "+
			"official script stops at them", n, r.Unpadded[0]))
	}
	return score, nil
}

// Rate is worse the smaller the mean of the regions is that the case has.
func (s *headScorer) Rate(e mllog.AccuracyEntry) (badness float64, ok bool) {
	return 1 - meanRegion(s.dice.Of(e.QSLIndex)), true
}

func meanRegion(score dice.HeadScore) float64 {
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

// Show draws the slice of a head with the most to see, in two channels and with the true classes and the model's.
func (s *headScorer) Show(e mllog.AccuracyEntry) (sdk.Exhibit, error) {
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
	before, err := s.recipe.Before(box.Size)
	if err != nil {
		return sdk.Exhibit{}, err
	}
	found, err := s.dice.Classes(e.QSLIndex, e.Data)
	if err != nil {
		return sdk.Exhibit{}, err
	}
	raw, inner := s.heads.Shape(i), volume.Box{Low: before, Size: box.Size}
	labels, found = volume.Cut(labels, raw, box), volume.Cut(found, raw, box)
	z := fullest(box.Size, labels, found)
	padded := s.recipe.Padded()
	channel := func(c int) []float32 {
		return volume.Cut(values[c*padded.Voxels():][:padded.Voxels()], padded, inner)
	}
	contrast, flair := channel(1), channel(brats.Channels-1)
	plain := func(values []float32) *image.NRGBA { return slice(box.Size, z, values, nil) }
	text, err := exhibit.PNG(exhibit.Beside(plain(contrast), plain(flair), slice(box.Size, z, flair, labels),
		slice(box.Size, z, flair, found)))
	score := s.dice.Of(e.QSLIndex)
	return sdk.Exhibit{PNG: text, Caption: fmt.Sprintf("%s, slice %d: T1 with contrast agent, FLAIR, the labels, the "+
		"model; oedema green, non-enhancing red, enhancing yellow; DICE whole %.3f, core %.3f, enhancing %.3f",
		s.heads.Name(i), z+box.Low[0], score[0], score[1], score[2])}, err
}
