package also

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Products is what a run on a catalogue of products has beside other runs: LoadGen drove it, by the round's seeds.
type Products struct {
	DataSeed uint64        // of the order of samples; Run.Load has that of arrivals
	Least    time.Duration // min_duration
	Score    *Score        // nil: the accuracy was not measured
}

// Score is the accuracy of a data set.
type Score struct {
	Value         float64
	Size, Samples int           // of the data set, and scored
	Took          time.Duration // 0: nobody measured it
}

// products changes a configuration to that of a run on products.
func (c *configuration) products(r Run) {
	p := r.Products
	if p.Score != nil {
		c.Datasets = append(c.Datasets, dataset{
			Name: r.Data.Name, Type: "accuracy", Path: r.Data.Path,
			Accuracy: &accuracyConfig{
				Method: "shopify_category_f1", GroundTruth: categoryColumn, Extractor: "identity_extractor", Repeats: 1,
			},
		})
	}
	runtime := &c.Settings.Runtime
	runtime.MinDuration, runtime.MaxDuration, runtime.DataSeed = p.Least.Milliseconds(), 0, p.DataSeed
}

// categoryColumn is the column of the true categories.
const categoryColumn = "ground_truth_category"

// writeProducts writes the accuracy of a run on products, which lies beside the files of all runs.
func (e *inEndpoints) writeProducts(dir string, r Run) error {
	s := r.Products.Score
	if s == nil { // that of an earlier run goes
		if err := os.Remove(filepath.Join(dir, "accuracy", "accuracy_results.json")); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	extractor, truth := "IdentityExtractor", categoryColumn
	return writeAccuracies(dir, accuracies{Average: &s.Value, All: []accuracyEntry{{
		Dataset: r.Data.Name, Extractor: &extractor, GroundTruth: &truth, Score: s.Value, Unit: s.Size, Repeats: 1,
		Samples: s.Samples, Took: s.Took.Seconds(), Complete: s.Samples == s.Size, Type: "accuracy",
	}}})
}

// accuracies is accuracy/accuracy_results.json.
type accuracies struct {
	Average *float64        `json:"average_accuracy,omitempty"`
	All     []accuracyEntry `json:"accuracy_scores"`
}

func writeAccuracies(dir string, all accuracies) error {
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	dir = filepath.Join(dir, "accuracy")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "accuracy_results.json"), append(text, '\n'), 0o666)
}
