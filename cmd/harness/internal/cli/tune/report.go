package tune

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/table"
	"github.com/plumbline-ml/plumbline/internal/terminal"
	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/tune"
)

// tuneReport is the result of a search.
type tuneReport struct {
	bench.Tuned
	flags *tuneFlags
}

// reportTuned prints the measurements, even if the search or writing the profile failed with err.
func (a *app) reportTuned(t tuneReport, err error) error {
	report, to := t.writeText, a.Stdout
	if t.flags.json {
		report, to = t.writeJSON, a.Data
	}
	if err := errors.Join(err, report(to)); err != nil {
		return err
	}
	if t.NoRate {
		return &exitcode.Outcome{Code: exitcode.Invalid}
	}
	return nil
}

// writeJSON writes the result as JSON.
func (t tuneReport) writeJSON(w io.Writer) error {
	doc := struct {
		File     string        `json:"file,omitempty"` // file of the profile; empty: not written
		Complete bool          `json:"complete"`       // whether the search finished
		Profile  *tune.Profile `json:"profile,omitempty"`
		Points   []tune.Point  `json:"points"` // measurements of the grid
		Trials   []tune.Trial  `json:"trials"` // Server runs
	}{Complete: t.Complete, Points: append([]tune.Point{}, t.Points...), Trials: append([]tune.Trial{}, t.Trials...)}
	if t.Written {
		doc.File = t.Path
	}
	if t.Found {
		doc.Profile = &t.Profile
		doc.Profile.Schema, doc.Profile.SchemaVersion = tune.Schema, tune.SchemaVersion
	}
	return shell.WriteJSON(w, doc)
}

// writeText prints tables for people.
func (t tuneReport) writeText(w io.Writer) error {
	k := t.Profile.For
	fmt.Fprintf(w, "%s %s on %s, %v\n", k.Model, k.Precision, shell.TextOrDash(k.Backend), t.Profile.Machine)
	if err := pointTable(w, t.Points); err != nil {
		return err
	}
	if t.Profile.Offline != nil && t.Points != nil {
		fmt.Fprintf(w, "\nOffline  %s\n", offlineText(*t.Profile.Offline))
	}
	if err := trialTable(w, t.Trials); err != nil {
		return err
	}
	switch {
	case t.NoRate:
		fmt.Fprintf(w, "\nServer   %s\n", t.missingRateText())
	case t.Profile.Server != nil && t.Trials != nil && t.Complete:
		s := t.Profile.Server
		fmt.Fprintf(w, "\nServer   target_qps %s is VALID (%v), %v%s%s\n",
			figure.Round(s.TargetQPS), s.Limits, s.Setting, ceilingText(*s), disturbedText(t.Trials))
	}
	_, err := fmt.Fprintf(w, "\n%s\n", t.endText())
	return err
}

// isUnused reports whether runs do not use the profile automatically.
func (t tuneReport) isUnused() bool {
	return t.flags.Model.Tuning == "" && t.Profile.Server == nil && t.Profile.Offline != nil && !t.Profile.Offline.Decided
}

// endText states the path of the profile and what it lacks.
func (t tuneReport) endText() string {
	model := t.Profile.For.Model
	switch {
	case t.Found && !t.Written:
		return "no profile is written: " + t.Path + " cannot be saved"
	case !t.Written && t.Points != nil && !t.Complete:
		return "the search of the setting did not come to its end: no profile is written"
	case !t.Written:
		return "no profile is written"
	case t.isUnused():
		return fmt.Sprintf("written to %s\nit is not certain: harness run %s --tuning %[1]s uses it, other runs do not",
			t.Path, model)
	case !t.Complete:
		return fmt.Sprintf("written to %s, as far as it was found: the search of the Server rate did not come to its end",
			t.Path)
	case t.flags.Model.Tuning != "":
		return fmt.Sprintf("written to %s\nharness run %s --tuning %s uses it", t.Path, model, t.Path)
	}
	return fmt.Sprintf("written to %s\nharness run %s uses it from now on (--tuning none: not)", t.Path, model)
}

// pointTable prints the measurements of the grid.
func pointTable(w io.Writer, points []tune.Point) error {
	if len(points) == 0 {
		return nil
	}
	atServer := slices.ContainsFunc(points, func(p tune.Point) bool { return p.Requests > 0 })
	rows := table.Table{Indent: "  "}
	heads := append(settingHeads(atServer), "SAMPLES/S", "SPREAD")
	for i := range heads { // not the last column, which may contain the reason for a missing test
		rows.RightAligned = append(rows.RightAligned, i)
	}
	rows.Head(append(heads, "TESTS")...)
	for _, p := range points {
		if p.Tests == 0 && p.Fault == "" {
			continue // the search ended before it
		}
		rows.Row(append(settingCells(p.Setting, atServer), figure.Round(p.SamplesPerSecond), spreadText(p),
			testsText(p))...)
	}
	fmt.Fprintln(w)
	_, err := rows.WriteTo(w)
	return err
}

// settingHeads returns the headings of settings: sessions on this machine, or requests to a server.
func settingHeads(atServer bool) []any {
	if atServer {
		return []any{"BATCH", "REQUESTS"}
	}
	return []any{"BATCH", "SESSIONS", "THREADS"}
}

func settingCells(s tune.Setting, atServer bool) []any {
	if atServer {
		return []any{numberOrAuto(s.Batch), numberOrAuto(s.Requests)}
	}
	return []any{numberOrAuto(s.Batch), numberOrAuto(s.Sessions), numberOrAuto(s.Threads)}
}

func numberOrAuto(n int) string {
	if n == 0 {
		return "auto"
	}
	return strconv.Itoa(n)
}

// spreadText formats the spread of several tests.
func spreadText(p tune.Point) string {
	if p.Tests < 2 {
		return "-"
	}
	return percentText(p.Spread)
}

func percentText(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// testsText describes the tests behind a row.
func testsText(p tune.Point) string {
	switch {
	case p.Fault != "":
		return "not measured: " + p.Fault
	case p.Final:
		return strconv.Itoa(p.Tests)
	}
	return strconv.Itoa(p.Tests) + " short"
}

// speedText formats a ratio of speeds: "+5.3 % against", or "12.3 times" for ten times and more.
func speedText(ratio float64) string {
	if ratio >= 10 {
		return fmt.Sprintf("%.1f times", ratio)
	}
	return fmt.Sprintf("%+.1f %% against", 100*(ratio-1))
}

// offlineText describes the fastest setting and compares it with a run without a profile.
func offlineText(o tune.Offline) string {
	text := fmt.Sprintf("%s samples/s, %v", figure.Round(o.SamplesPerSecond), o.Setting)
	for _, p := range o.Points {
		if p.Setting == (tune.Setting{}) && o.Setting != p.Setting && p.SamplesPerSecond > 0 {
			text += ": " + speedText(o.SamplesPerSecond/p.SamplesPerSecond) + " the plugin's own choice"
		}
	}
	if !o.Decided {
		text += fmt.Sprintf("\n         not certain: another setting may be more than %s faster, because the tests differ "+
			"much; a higher --time measures longer", percentText(tune.Tolerance))
		text += "\n         runs do not use it, unless --tuning names the profile"
	}
	return text
}

// ceilingText states that a higher rate may be possible, or returns "".
func ceilingText(s tune.Server) string {
	if s.MetTop() {
		return ""
	}
	return "\n         the top was not met: no rate above it was INVALID, so that the highest may be higher"
}

// disturbedText describes runs whose outcome contradicts their rates, or returns "".
func disturbedText(trials []tune.Trial) string {
	n := tune.Disturbed(trials)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("\n         INVALID at rates below one that was VALID: %d of %s. The machine does other things, "+
		"too: later runs may be INVALID, and on a calm one the rate may be higher",
		n, figure.Plural(len(trials), "run"))
}

// missingRateText states that no rate was VALID, the reason of the last run, and advice.
func (t tuneReport) missingRateText() string {
	text := tune.ErrNoRate.Error()
	if n := len(t.Trials); n > 0 && t.Trials[n-1].Reason != "" {
		text += ": the last run was INVALID\n         " + t.Trials[n-1].Reason
		if low := lowestRate(t.Trials); low < t.Trials[0].TargetQPS &&
			!slices.ContainsFunc(t.Trials, func(r tune.Trial) bool { return r.Valid }) {
			text += fmt.Sprintf("\n         so were all down to target_qps %s: the model is too slow for the limit, or the "+
				"machine does other things", figure.Round(low))
		}
	}
	if old := t.Profile.Server; old != nil {
		text += fmt.Sprintf("\n         the profile keeps the rate of an earlier search: target_qps %s (%v), %v",
			figure.Round(old.TargetQPS), old.Limits, old.Setting)
	}
	return text
}

func lowestRate(trials []tune.Trial) float64 {
	low := math.Inf(1)
	for _, r := range trials {
		low = min(low, r.TargetQPS)
	}
	return low
}

// trialTable prints the Server runs.
func trialTable(w io.Writer, trials []tune.Trial) error {
	if len(trials) == 0 {
		return nil
	}
	rows := table.Table{Indent: "  ", RightAligned: []int{0, 2}}
	rows.Head("TARGET_QPS", "VERDICT", "LATENCY", "SETTING")
	for _, r := range trials {
		verdict := loadgen.Invalid
		if r.Valid {
			verdict = loadgen.Valid
		}
		setting := r.String()
		if r.Confirms {
			setting += " (confirms)"
		}
		rows.Row(figure.Round(r.TargetQPS), terminal.StyleVerdict(fmt.Sprint(verdict)), latencyText(r), setting)
	}
	fmt.Fprintln(w)
	_, err := rows.WriteTo(w)
	return err
}

// latencyText formats the judged latency. A run that ended before its first answer has none.
func latencyText(r tune.Trial) string {
	if r.LatencyMS == 0 {
		return "-"
	}
	return figure.Short(r.LatencyMS) + " ms"
}
