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
	Interval time.Duration `flag:"power-interval"` // between two readings; 0: a second
	Ranging  bool          `flag:"power-ranging"`  // make a run like it before each timed one
	// Logs is a folder with the logs of the official power tools' session in which the one timed run is made: they are
	// taken as they are. Empty: there are none.
	Logs string `flag:"power-logs"`
}

// resolve makes the meter.
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

// PowerDir is where the logs of the official power tools go, relative to the output directory.
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
