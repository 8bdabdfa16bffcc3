package dlrm

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/accuracy/auc"
	"github.com/plumbline-ml/plumbline/datasets/criteo"
	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/synthetic/clicks"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/option"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

// textName is the name of the published text file of the day.
const textName = "day_23"

// payloadForm describes the content of payloads.
type payloadForm struct {
	DType accuracy.DType `param:"dtype"`
	// payloads contain only predictions; labels come from the data set
	LabelsInDataset bool `param:"labels" choices:"log,dataset"`
}

func readForm(p *option.Params) (f payloadForm) {
	option.Bind(p, &f, option.ReaderFunc("dtype", auc.DTypes().Parse))
	return f
}

// newAUCScorer reads the sizes of samples and the labels if they are needed and available.
func newAUCScorer(f payloadForm, s clickSource) (sdk.Scorer, error) {
	truth, err := s.readTruth(f)
	if err != nil {
		return nil, err
	}
	metric, err := auc.New(truth, auc.PayloadOptions{DType: f.DType})
	if err != nil {
		return nil, sdk.Data(err)
	}
	log := scoring.Log{
		Samples: len(truth.Samples), Exhibits: s.Exhibits, Gallery: worstPredicted(truth, f.DType),
	}
	return scoring.New(metric, log, makeScore), nil
}

// makeScore returns the score. If a sample has several entries in the log, the first one counts.
func makeScore(r auc.PairResult, c scoring.Counts) (sdk.Score, error) {
	var n sdk.Notes
	if !r.Defined() {
		n.Add("all %d pairs have label %d: the AUC is undefined", r.Total, min(r.Positives, 1))
	}
	return sdk.Score{
		Metrics: []sdk.Metric{{Name: "AUC", Unit: "%", Value: r.Percent()}}, OfficialText: r.String(),
		Notes: append(n, c.Notes("samples", "the AUC is that")...),
	}, nil
}

// readTruth reads the ground truth. A log that contains the labels needs no data set. If a data set is named
// nevertheless, the lengths of the payloads must match its samples.
func (s clickSource) readTruth(f payloadForm) (t auc.Truth, err error) {
	if !f.LabelsInDataset && s.Dataset == "" {
		return t, nil
	}
	labels, err := s.readLabels()
	if err != nil {
		return t, err
	}
	samples, err := s.groupSamples(len(labels))
	if err != nil {
		return t, err
	}
	t.Samples = make([]auc.PairRange, len(samples))
	for i, r := range samples {
		t.Samples[i] = auc.PairRange(r)
	}
	if f.LabelsInDataset {
		t.Labels = labels
	}
	return t, nil
}

// readLabels reads the labels of all pairs of the data set, which may be the published text file.
func (s clickSource) readLabels() ([]uint8, error) {
	if s.Dataset == "" {
		return drawnLabels()
	}
	text := filepath.Join(s.Dataset, textName)
	if _, err := os.Stat(text); err == nil {
		return s.readTextLabels(text)
	}
	o := s.Log
	o.LabelsOnly = true
	set, err := criteo.Open(s.Dataset, o)
	if err != nil {
		return nil, sdk.Data(err)
	}
	return set.Labels(), set.Close()
}

// readTextLabels reads the labels that the trace needs from the published text file.
func (s clickSource) readTextLabels(path string) (labels []uint8, err error) {
	f, err := bounded.Open(path)
	if err != nil {
		return nil, sdk.Data(err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	most := 0
	if s.Trace != "" {
		samples, err := readSmallFile(s.Trace, criteo.ReadTrace)
		if err != nil {
			return nil, sdk.Data(err)
		}
		most = samples[len(samples)-1].End
	}
	if labels, err = criteo.ReadTextLabels(f, most); err != nil {
		return nil, sdk.Data(fmt.Errorf("%s: %w", path, err))
	}
	return labels, nil
}

// drawnLabels returns the labels of the embedded data set.
func drawnLabels() ([]uint8, error) {
	set := clicks.Eval()
	b := clicks.NewBlock(set.Len())
	return b.Labels, set.Read(b, 0)
}
