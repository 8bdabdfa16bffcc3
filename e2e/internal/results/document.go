// Package results reads the parts of result.json, model cards and LoadGen's logs that tests check.
package results

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// CompleteRuns counts the completed runs of all output folders below one, by the result.json of each scenario.
func CompleteRuns(t *testing.T, below string) (complete int) {
	t.Helper()
	err := filepath.WalkDir(below, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "result.json" {
			return err
		}
		var doc Document
		testfile.ReadJSON(t, path, &doc)
		for _, r := range doc.Runs {
			if r.Scenario == filepath.Base(filepath.Dir(path)) && r.Status == "complete" {
				complete++
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return complete
}

// Document is the part of result.json that the tests read.
type Document struct {
	Outcome  string `json:"outcome"`
	ExitCode int    `json:"exit_code"`
	Runs     []struct {
		Model, Scenario, Mode, Status, Verdict string
		Performance                            *struct {
			Valid  bool
			Metric struct{ Value float64 }
		}
		Accuracy *struct{ Metrics []Metric }
	} `json:"runs"`
}

// Metric is one figure of an accuracy result.
type Metric struct {
	Name  string
	Value float64
}

// Card is the part of a model card that the tests read.
type Card struct {
	StandIn string `json:"stand_in"` // what replaces a model, in one precision
	Files   []struct {
		Precision string
		Metrics   []Metric
		Models    map[string][]Metric // metrics by model, if models of the benchmark have separate data sets
	}
}
