package plan

import (
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/internal/score"
	"github.com/plumbline-ml/plumbline/bench/settings"
	"github.com/plumbline-ml/plumbline/serving/arrival"
)

// ClosedLoop returns the load of a closed loop. Its length is the requested one. The default is a minute and 100
// requests or, under smoke settings, four requests per user.
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

// ReplayTime is the default time limit of a replay. Turns that were not sent in time count as missing.
const ReplayTime = 4 * time.Hour

// replaySettings are the settings of LoadGen that a replay also accepts if the user sets them.
var replaySettings = []string{"MinDuration", "MaxDuration", "SampleIndexRNGSeed", "ScheduleRNGSeed"}

// ReplayRows returns the settings of a replay that the user set. A replay does not use the seeds, but its files contain
// them.
func (r Run) ReplayRows() []settings.Row {
	var names []string
	for _, f := range loadgen.Fields() {
		if slices.Contains(replaySettings, f.Name) && r.Settings.Written(f.Name) {
			names = append(names, f.UserKey())
		}
	}
	var rows []settings.Row
	for _, row := range r.Settings.Rows() {
		if slices.Contains(names, row.Key) {
			rows = append(rows, row)
		}
	}
	return rows
}

// ReplayTimes returns the minimum duration of a replay that counts and its maximum duration; 0: no minimum.
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
