package plan

import (
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/internal/score"
	"github.com/plumbline-ml/plumbline/bench/settings"
	"github.com/plumbline-ml/plumbline/serving/arrival"
)

// ClosedLoop is the load of a closed loop: as long as it was asked for, else a minute and a hundred requests, and under
// smoke settings four requests of each user.
func (p *Plan) ClosedLoop(run Run) arrival.Pattern {
	l := arrival.Pattern{
		Kind: arrival.Users, Users: run.Users, Requests: p.Request.Load.Requests, Duration: p.Request.Load.Duration,
		Seed: run.Settings.SampleIndexRNGSeed,
	}
	if run.Settings.Profile == settings.Smoke && l.Requests == 0 && l.Duration == 0 {
		l.Requests = 4 * run.Users
	}
	return l
}

// ReplayTime is the default time limit of a replay; turns not sent by then are missing.
const ReplayTime = 4 * time.Hour

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

// ReplayScoring returns how to score the answers of replays.
func (p *Plan) ReplayScoring() score.Scoring {
	s := p.Scoring()
	s.Dataset, s.Test, s.Wanted = p.DatasetPath(sdk.UsePerformance), sdk.UseReplay, score.Wanted{}
	return s
}
