package plan

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/internal/power"
)

// Power determines the power measurement during timed runs.
type Power struct {
	Meter    string        `flag:"power"`          // "rapl", "rapl:ROOT", "cmd:COMMAND" or "file:SPL"; empty: none
	Interval time.Duration `flag:"power-interval"` // between two readings; 0: one second
	Ranging  bool          `flag:"power-ranging"`  // precede each timed run by a ranging run
	// Logs is a folder with logs of the official power tools, from the session in which the only timed run is made. They
	// are copied unchanged. Empty: there are none.
	Logs string `flag:"power-logs"`
}

// resolve creates the meter and checks that the runs, which must have been chosen, can be measured.
func (w Power) resolve(p *Plan) (meter, runs error) {
	meter = w.openMeter(p)
	return meter, p.checkPower(w)
}

func (w Power) openMeter(p *Plan) (err error) {
	if w.Meter == "" {
		if w.Interval != 0 || w.Ranging || w.Logs != "" {
			return errors.New("--power-interval, --power-ranging and --power-logs belong to --power METER: add it")
		}
		return nil
	}
	if p.Power, err = power.New(w.Meter, w.Interval); err != nil {
		return fmt.Errorf("--power: %w", err)
	}
	return nil
}

// checkPower requires a run during which the meter, if there is one, can measure, and checks the logs of the power
// session.
func (p *Plan) checkPower(w Power) error {
	if p.Power == nil {
		return nil
	}
	if len(p.Runs) > 0 && !slices.ContainsFunc(p.Runs, Run.Timed) {
		return fmt.Errorf("--power measures runs of mode %s, and this plan has none", ModePerformance)
	}
	return checkPowerLogs(w.Logs, p.Runs)
}

// checkPowerLogs requires the logs of one power session and exactly one run to which it belongs.
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

// PowerDir returns the folder for the logs of the official power tools, relative to the output directory.
func (p *Plan) PowerDir() string {
	for _, run := range p.Runs {
		if run.ModeName() == ModePerformance {
			return filepath.Join(filepath.Dir(run.Dir), "power")
		}
	}
	return ""
}

// Timed reports whether power is measured in the run.
func (r Run) Timed() bool {
	return r.ModeName() == ModePerformance || r.ModeName() == ModeRanging
}
