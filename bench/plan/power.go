package plan

import (
	"errors"
	"fmt"
	"path/filepath"
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

// resolve creates the meter.
func (w Power) resolve(p *Plan) (err error) {
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
