package endpoints_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
)

// TestResultReadsWhatIsWritten: what a submission is judged by is read of the files that are written, of a replay and
// of runs that LoadGen drove; other files are not read, and nothing of a text that is none.
func TestResultReadsWhatIsWritten(t *testing.T) {
	for name, c := range map[string]struct {
		run    endpoints.Run
		replay bool
		more   []string
		issued int
		load   string
		score  float64
	}{
		"products": {products(), false, nil, 3, "max_throughput", 0.75},
		"videos":   {videos(), false, []string{endpoints.CachingFile}, 3, "concurrency", 0},
		"replay":   {replayed(), true, nil, 3, "agentic_inference", 0},
	} {
		dir, _ := written(t, c.run)
		var r endpoints.Result
		for _, file := range append(endpoints.ResultFiles(c.replay), c.more...) {
			text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
			if err == nil {
				err = r.Parse(file, text)
			}
			if err != nil {
				t.Errorf("%s, %s: %v", name, file, err)
			}
			if err := new(endpoints.Result).Parse(file, []byte("{")); err == nil {
				t.Errorf("%s, %s: half of a file is read", name, file)
			}
		}
		if r.Summary.Issued != c.issued || r.Config.Settings.Load.Type != c.load || len(r.Accuracy.Scores) == 0 ||
			r.Accuracy.Scores[0].Score == nil || c.score != 0 && *r.Accuracy.Scores[0].Score != c.score {
			t.Errorf("%s: %+v", name, r)
		}
		if c.more != nil && r.Caching.Test != "output_caching_test" || c.replay && r.Turns.Turns == nil {
			t.Errorf("%s: %+v, %+v", name, r.Caching, r.Turns)
		}
	}
	if err := new(endpoints.Result).Parse(endpoints.ReportFile, []byte("{}")); err == nil {
		t.Error("a report is read as a result")
	}
}
