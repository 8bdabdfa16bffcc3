package unet3d

import (
	"errors"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/accuracy/dice"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

// newVolumeScorer returns a scorer that computes DICE. Each case must occur in the log exactly once.
func newVolumeScorer(b windowBinding, c caseSet, d accuracy.DType, exhibits int) (sdk.Scorer, error) {
	truth := make([]dice.Case, c.Len())
	var faults []error
	for i := range truth {
		shape, err := b.labelsShape(c, i)
		faults = append(faults, err)
		truth[i] = dice.Case{Name: c.Name(i), Shape: shape, Labels: func() ([]uint8, error) { return b.readLabels(c, i) }}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	s, err := dice.New(truth, dice.PayloadOptions{DType: d})
	if err != nil {
		return nil, sdk.Data(err)
	}
	log := scoring.Log{Samples: c.Len(), Exhibits: exhibits, Gallery: newWorstGallery(b, c, s, d)}
	return scoring.New(s, log, makeScore), nil
}

// labelsShape returns the shape of the prepared image. Preprocessed labels keep their shape.
func (b *windowBinding) labelsShape(c caseSet, i int) ([3]int, error) {
	if c.Preprocessed() {
		shape, _ := c.Size(i)
		return shape, nil
	}
	return b.preparedShape(c, i)
}

func makeScore(r dice.VolumeResult, _ scoring.Counts) (sdk.Score, error) {
	return sdk.Score{
		Metrics: []sdk.Metric{
			{Name: "DICE", Value: r.Mean.Composite},
			{Name: "kidney DICE", Value: r.Mean.Kidney},
			{Name: "tumour DICE", Value: r.Mean.Tumour},
		},
		OfficialText: r.String(),
	}, nil
}
