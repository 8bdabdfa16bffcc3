package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/figure"
	"github.com/plumbline-ml/plumbline/bench/table"
	"github.com/plumbline-ml/plumbline/bench/tune"
)

// finish writes the profile, if something was found, and reports what was measured, also where the profile cannot be
// written. err is what ended the search early.
func (t *tuning) finish(err error) error {
	var saved error
	if t.changed {
		saved = exitcode.With(exitcode.Usage, t.profile.Save(t.path))
	}
	report := t.text
	if t.flags.json {
		report = t.json
	}
	wrote := report(t.changed && saved == nil, err)
	if err := errors.Join(err, saved, wrote); err != nil {
		return err
	}
	if t.noRate {
		return &exitcode.Outcome{Code: exitcode.Invalid}
	}
	return nil
}

// json prints what was found for programs.
func (t *tuning) json(written bool, err error) error {
	doc := struct {
		File     string        `json:"file,omitempty"` // of the profile; empty: none was written
		Complete bool          `json:"complete"`       // the search came to its end
		Profile  *tune.Profile `json:"profile,omitempty"`
		Points   []tune.Point  `json:"points"` // what was measured of the grid
		Trials   []tune.Trial  `json:"trials"` // runs of Server
	}{Complete: err == nil, Points: append([]tune.Point{}, t.points...), Trials: append([]tune.Trial{}, t.trials...)}
	if written {
		doc.File = t.path
	}
	if t.changed {
		doc.Profile = &t.profile
		doc.Profile.Schema, doc.Profile.SchemaVersion = tune.Schema, tune.SchemaVersion
	}
	e := json.NewEncoder(t.Stdout)
	e.SetIndent("", "  ")
	return e.Encode(doc)
}

// text prints tables for people.
func (t *tuning) text(written bool, err error) error {
	k := t.profile.For
	fmt.Fprintf(t.Stdout, "%s %s on %s, %v\n", k.Model, k.Precision, orNone(k.Backend), t.profile.Machine)
	if err := t.pointTable(); err != nil {
		return err
	}
	if t.profile.Offline != nil && t.points != nil {
		fmt.Fprintf(t.Stdout, "\nOffline  %s\n", t.offlineText(*t.profile.Offline))
	}
	if err := t.trialTable(); err != nil {
		return err
	}
	switch {
	case t.noRate:
		fmt.Fprintf(t.Stdout, "\nServer   %s\n", t.noRateText())
	case t.profile.Server != nil && t.trials != nil && err == nil:
		s := t.profile.Server
		fmt.Fprintf(t.Stdout, "\nServer   target_qps %s is VALID (%v), %v%s\n", figure.Round(s.TargetQPS), s.Limits, s.Setting, t.disturbedText())
	}
	_, wrote := fmt.Fprintf(t.Stdout, "\n%s\n", t.ending(written, err))
	return wrote
}

// unused tells whether runs use nothing of the profile by themselves.
func (t *tuning) unused() bool {
	return t.flags.file == "" && t.profile.Server == nil && t.profile.Offline != nil && !t.profile.Offline.Decided
}

// ending says where the profile is, and what it lacks.
func (t *tuning) ending(written bool, err error) string {
	switch {
	case t.changed && !written:
		return "no profile is written: " + t.path + " cannot be saved"
	case !written && t.points != nil && err != nil:
		return "the search of the setting did not come to its end: no profile is written"
	case !written:
		return "no profile is written"
	case t.unused():
		return fmt.Sprintf("written to %s\nit is not certain: harness run %s --tuning %[1]s uses it, other runs do not", t.path, t.profile.For.Model)
	case err != nil:
		return fmt.Sprintf("written to %s, as far as it was found: the search of the Server rate did not come to its end", t.path)
	case t.flags.file != "":
		return fmt.Sprintf("written to %s\nharness run %s --tuning %s uses it", t.path, t.profile.For.Model, t.path)
	}
	return fmt.Sprintf("written to %s\nharness run %s uses it from now on (--tuning none: not)", t.path, t.profile.For.Model)
}

// pointTable prints what was measured of the grid.
func (t *tuning) pointTable() error {
	if len(t.points) == 0 {
		return nil
	}
	rows := table.Table{Indent: "  ", Right: []int{0, 1, 2, 3, 4}}
	rows.Row("BATCH", "SESSIONS", "THREADS", "SAMPLES/S", "SPREAD", "TESTS")
	for _, p := range t.points {
		if p.Tests == 0 && p.Fault == "" {
			continue // the search ended before it
		}
		rows.Row(orAuto(p.Batch), orAuto(p.Sessions), orAuto(p.Threads), figure.Round(p.SamplesPerSecond), spreadText(p), testsText(p))
	}
	fmt.Fprintln(t.Stdout)
	_, err := rows.WriteTo(t.Stdout)
	return err
}

func orAuto(n int) string {
	if n == 0 {
		return "auto"
	}
	return strconv.Itoa(n)
}

// spreadText is how much tests differed, where there were several.
func spreadText(p tune.Point) string {
	if p.Tests < 2 {
		return "-"
	}
	return percentText(p.Spread)
}

func percentText(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// testsText is what a row rests on.
func testsText(p tune.Point) string {
	switch {
	case p.Fault != "":
		return "not measured: " + p.Fault
	case p.Final:
		return strconv.Itoa(p.Tests)
	}
	return strconv.Itoa(p.Tests) + " short"
}

// against is a ratio of speeds: "+5.3 % against", and from ten times on "12.3 times".
func against(ratio float64) string {
	if ratio >= 10 {
		return fmt.Sprintf("%.1f times", ratio)
	}
	return fmt.Sprintf("%+.1f %% against", 100*(ratio-1))
}

// offlineText is the fastest setting, against what a run without a profile has.
func (t *tuning) offlineText(o tune.Offline) string {
	text := fmt.Sprintf("%s samples/s, %v", figure.Round(o.SamplesPerSecond), o.Setting)
	for _, p := range o.Points {
		if p.Setting == (tune.Setting{}) && o.Setting != p.Setting && p.SamplesPerSecond > 0 {
			text += ": " + against(o.SamplesPerSecond/p.SamplesPerSecond) + " the plugin's own choice"
		}
	}
	if !o.Decided {
		text += fmt.Sprintf("\n         not certain: another setting may be more than %s faster, because the tests differ much; a higher --time measures longer", percentText(tune.Tolerance))
		text += "\n         runs do not use it, unless --tuning names the profile"
	}
	return text
}

// disturbedText says that runs ended otherwise than their rates explain; empty: none did.
func (t *tuning) disturbedText() string {
	n := tune.Disturbed(t.trials)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("\n         INVALID at rates below one that was VALID: %d of %s. The machine does other things, too: later runs may be INVALID, and on a calm one the rate may be higher",
		n, plural(len(t.trials), "run"))
}

// noRateText says that no rate was VALID, why the last run was not, and what remains.
func (t *tuning) noRateText() string {
	text := tune.ErrNoRate.Error()
	if n := len(t.trials); n > 0 && t.trials[n-1].Reason != "" {
		text += ": the last run was INVALID\n         " + t.trials[n-1].Reason
		if low := lowestRate(t.trials); low < t.trials[0].TargetQPS && !slices.ContainsFunc(t.trials, func(r tune.Trial) bool { return r.Valid }) {
			text += fmt.Sprintf("\n         so were all down to target_qps %s: the model is too slow for the limit, or the machine does other things", figure.Round(low))
		}
	}
	if old := t.profile.Server; old != nil {
		text += fmt.Sprintf("\n         the profile keeps the rate of an earlier search: target_qps %s (%v), %v", figure.Round(old.TargetQPS), old.Limits, old.Setting)
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

// trialTable prints the runs of Server.
func (t *tuning) trialTable() error {
	if len(t.trials) == 0 {
		return nil
	}
	rows := table.Table{Indent: "  ", Right: []int{0, 2}}
	rows.Row("TARGET_QPS", "VERDICT", "LATENCY", "SETTING")
	for _, r := range t.trials {
		verdict := loadgen.Invalid
		if r.Valid {
			verdict = loadgen.Valid
		}
		setting := r.String()
		if r.Confirms {
			setting += " (confirms)"
		}
		rows.Row(figure.Round(r.TargetQPS), verdict, latencyText(r), setting)
	}
	fmt.Fprintln(t.Stdout)
	_, err := rows.WriteTo(t.Stdout)
	return err
}

// latencyText is the latency that was judged; of a run that ended before its first answer there is none.
func latencyText(r tune.Trial) string {
	if r.LatencyMS == 0 {
		return "-"
	}
	return figure.Short(r.LatencyMS) + " ms"
}
