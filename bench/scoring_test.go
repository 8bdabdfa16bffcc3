package bench

import (
	"maps"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/record/results"
)

// TestResultNamesNoProgram checks that the user who scores selects the program that runs programs, not the result that
// is scored again.
func TestResultNamesNoProgram(t *testing.T) {
	log := results.AccuracyLog{Run: record.Run{Model: "mixtral-8x7b"}}
	log.Run.Options.Params = map[string]string{
		"execute": "/tmp/evil", "grader": "python:/tmp/evil", "sandbox": "weak", "dtype": "int64",
	}
	for _, x := range []struct {
		given []string
		want  map[string]string
	}{
		{nil, map[string]string{"dtype": "int64"}},
		{[]string{"execute=python3"}, map[string]string{"dtype": "int64", "execute": "python3"}},
	} {
		run, err := ScoreRequest{Params: x.given}.describeOrigin(log)
		if err != nil || !maps.Equal(run.Options.Params, x.want) {
			t.Errorf("%v: %v, %v, want %v", x.given, run.Options.Params, err, x.want)
		}
	}
}
