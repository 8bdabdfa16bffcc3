package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/internal/score"
	"github.com/plumbline-ml/plumbline/bench/settings"
)

// ReplayTime is how long a replay may take at most where nobody says otherwise: what is not sent by then is missing.
const ReplayTime = 4 * time.Hour

// replaceByReplays makes replays of the timed runs of a model whose timed runs are.
func replaceByReplays(steps []runStep, m sdk.ModelInfo) []runStep {
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

// checkReplay says what of a request a replay has no part in.
func (r Request) checkReplay(run Run) error {
	if !run.Replay {
		return nil
	}
	var other []string
	for _, of := range []struct {
		flag  string
		given bool
	}{
		{"--concurrency", r.Load.Concurrency != 0}, {"--mode " + ModeFindPeak, r.Load.Mode == ModeFindPeak},
		{"--audit", r.Rules.Audit != "" || r.Rules.Test.Name != ""}, {"--power", r.Power.Meter != "" || r.Power.Logs != ""},
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

// replaySettings are those of LoadGen's that a replay has, too, where a user writes them.
var replaySettings = []string{"MinDuration", "MaxDuration", "SampleIndexRNGSeed", "ScheduleRNGSeed"}

// ReplayRows are the settings of a replay that a user wrote. Nothing is drawn by its seeds, which stand in its files.
func (r Run) ReplayRows() []settings.Row {
	var names []string
	for _, f := range loadgen.Fields() {
		if slices.Contains(replaySettings, f.Name) && r.Settings.Written(f.Name) {
			names = append(names, f.UserKey())
		}
	}
	return lists.Filter(r.Settings.Rows(), func(row settings.Row) bool { return slices.Contains(names, row.Key) })
}

// ReplayTimes are how long a replay has to take to count, and how long it may take at most; 0: as long as it does.
func (r Run) ReplayTimes() (least, most time.Duration) {
	most = ReplayTime
	if r.Settings.Written("MinDuration") {
		least = r.Settings.MinDuration
	}
	if r.Settings.Written("MaxDuration") {
		most = r.Settings.MaxDuration
	}
	return least, most
}

// ReplayScoring is how the answers of replays are scored.
func (p *Plan) ReplayScoring() score.Scoring {
	s := p.Scoring()
	s.Dataset, s.Test, s.Wanted = p.DatasetFor(sdk.UsePerformance), sdk.UseReplay, score.Wanted{}
	return s
}
