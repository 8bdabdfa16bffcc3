package plan

import (
	"fmt"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/internal/score"
)

// ReplayTime is how long a replay may take at most: what is not sent by then is missing.
const ReplayTime = 4 * time.Hour

// replayed makes replays of the timed runs of a model whose timed runs are.
func replayed(steps []step, m sdk.ModelInfo) []step {
	if !m.Replay {
		return steps
	}
	for i := range steps {
		if st := &steps[i]; st.mode != loadgen.AccuracyOnly {
			st.users, st.replay = 1, true
		}
	}
	return steps
}

// replays says what of a request a replay has no part in.
func (r Request) replays(run Run) error {
	if !run.Replay {
		return nil
	}
	var other []string
	for _, of := range []struct {
		flag  string
		given bool
	}{
		{"--concurrency", r.Concurrency != 0}, {"--mode " + ModeFindPeak, r.Mode == ModeFindPeak},
		{"--audit", r.Audit != "" || r.Test.Name != ""}, {"--power", r.Power != "" || r.PowerLogs != ""},
	} {
		if of.given {
			other = append(other, of.flag)
		}
	}
	if len(other) == 0 {
		return nil
	}
	return fmt.Errorf("%s: a timed run of %s replays recorded conversations one turn at a time, without LoadGen; leave "+
		"it out", strings.Join(other, ", "), run.Model)
}

// ReplayScoring is how the answers of replays are scored.
func (p *Plan) ReplayScoring() score.Scoring {
	s := p.Scoring()
	s.Dataset, s.Test, s.Wanted = p.DatasetFor(sdk.UsePerformance), sdk.UseReplay, score.Wanted{}
	return s
}
