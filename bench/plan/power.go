package plan

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/internal/power"
)

// Power is what is measured beside timed runs.
type Power struct {
	Meter    string        `flag:"power"`          // "rapl", "rapl:ROOT", "cmd:COMMAND" or "file:SPL"; empty: none
	Interval time.Duration `flag:"power-interval"` // between two readings; 0: a second
	Ranging  bool          `flag:"power-ranging"`  // make a run like it before each timed one
	// Logs is a folder with the logs of the official power tools' session in which the one timed run is made: they are
	// taken as they are. Empty: there are none.
	Logs string `flag:"power-logs"`
}

// resolve makes the meter, which has to be able to measure a run of the plan.
func (w Power) resolve(p *Plan) (err error) {
	if w.Meter == "" {
		if w.Interval != 0 || w.Ranging || w.Logs != "" {
			return errors.New("--power-interval, --power-ranging and --power-logs say how power is measured: give --power, too")
		}
		return nil
	}
	if p.Power, err = power.New(w.Meter, w.Interval); err != nil {
		return fmt.Errorf("--power: %w", err)
	}
	if len(p.Runs) > 0 && !slices.ContainsFunc(p.Runs, Run.Timed) {
		return fmt.Errorf("--power measures runs of mode %s, and this plan has none", ModePerformance)
	}
	return checkPowerLogs(w.Logs, p.Runs)
}

// checkPowerLogs wants the logs of one session, and the one run that it belongs to.
func checkPowerLogs(dir string, runs []Run) error {
	if dir == "" {
		return nil
	}
	var faults []error
	for _, name := range power.SessionFiles() {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil {
			faults = append(faults, fmt.Errorf("--power-logs: %w", err))
		} else if !info.Mode().IsRegular() {
			faults = append(faults, fmt.Errorf("--power-logs: %s: found %v, want a file", filepath.Join(dir, name), info.Mode()))
		}
	}
	count := 0
	for _, run := range runs {
		if run.ModeName() == ModePerformance {
			count++
		}
	}
	if count > 1 {
		faults = append(faults, fmt.Errorf("--power-logs is one session's, and this plan has %d runs of mode %s: give one "+
			"--scenario", count, ModePerformance))
	}
	return errors.Join(faults...)
}

// PowerDir is where the logs of the official power tools go, relative to the output directory.
func (p *Plan) PowerDir() string {
	for _, run := range p.Runs {
		if run.ModeName() == ModePerformance {
			return filepath.Join(filepath.Dir(run.Dir), "power")
		}
	}
	return ""
}

// Timed says whether power is measured in the run.
func (r Run) Timed() bool {
	return r.ModeName() == ModePerformance || r.ModeName() == ModeRanging
}

// withRanging puts a ranging run before each step that is timed, where they are asked for.
func (w Power) withRanging(steps []runStep) []runStep {
	if !w.Ranging {
		return steps
	}
	var all []runStep
	for _, st := range steps {
		if st.mode == loadgen.PerformanceOnly && !st.streams {
			all = append(all, runStep{scenario: st.scenario, mode: st.mode, ranging: true})
		}
		all = append(all, st)
	}
	return all
}
