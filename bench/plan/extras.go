package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/system"
	"github.com/plumbline-ml/plumbline/internal/terminal"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/official"
	"github.com/plumbline-ml/plumbline/loadgen/suggest"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/power"
)

// Stated is what the user says of the runs, for the record.
type Stated struct {
	System          system.Stated
	Note, Precision string
}

// mostNote and mostLabel bound a note and a label, in bytes.
const (
	mostNote  = 1000
	mostLabel = 100
)

func (p *Plan) readStated(r Request) error {
	p.Stated = Stated{Note: strings.TrimSpace(r.Output.Note), Precision: strings.TrimSpace(r.Output.PrecisionLabel)}
	var faults []error
	for flag, text := range map[string]string{"--note": r.Output.Note, "--precision-label": r.Output.PrecisionLabel} {
		if len(text) > mostNote {
			faults = append(faults, fmt.Errorf("%s: %d bytes, want at most %d", flag, len(text), mostNote))
		}
	}
	faults = append(faults, checkLabel(r.Output.Identity.Label))
	if r.Output.System != "" {
		s, err := system.ReadStated(r.Output.System)
		p.Stated.System = s
		if errors.Is(err, fs.ErrNotExist) {
			err = sdk.Data(err)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("--system: %w", err))
		}
	}
	return exitcode.OfRequest(faults)
}

// checkLabel wants a line of text: it stands in tables, headings and names of files.
func checkLabel(label string) error {
	switch {
	case len(label) > mostLabel:
		return fmt.Errorf("--label: %d bytes, want at most %d", len(label), mostLabel)
	case terminal.Line(label) != label:
		return fmt.Errorf("--label %s: it has a line break or another control character, want one line of text",
			terminal.Line(label))
	}
	return nil
}

// The LoadGens that drive runs.
const (
	LoadGenOwn      = "plumbline"
	LoadGenOfficial = "official"
)

// chooseLoadGen opens the official LoadGen, where that is to drive the runs.
func (p *Plan) chooseLoadGen(r Request) (err error) {
	switch r.Rules.LoadGen {
	case "", LoadGenOwn:
		return nil
	case LoadGenOfficial:
	default:
		return fmt.Errorf("--loadgen: %w", suggest.Unknown("LoadGen", r.Rules.LoadGen, []string{LoadGenOwn, LoadGenOfficial}))
	}
	var faults []error
	if r.Load.AbortEarly {
		faults = append(faults, errors.New("--abort-early: the official LoadGen ends no run early"))
	}
	if r.Load.Pace == PacePrecise {
		faults = append(faults, fmt.Errorf("--pace %s: the official LoadGen has a pace of its own", r.Load.Pace))
	}
	p.LoadGen, err = official.Open(r.Rules.OfficialLoadGen)
	if err != nil {
		err = fmt.Errorf("--loadgen %s: %w; make official-loadgen LOADGEN=DIR builds it from the official sources",
			r.Rules.LoadGen, err)
	}
	return errors.Join(append(faults, err)...)
}

// choosePower makes the meter, which has to be able to measure a run of the plan.
func (p *Plan) choosePower(r Request) (err error) {
	if r.Power.Meter == "" {
		if r.Power.Interval != 0 || r.Power.Ranging || r.Power.Logs != "" {
			return errors.New("--power-interval, --power-ranging and --power-logs say how power is measured: give --power, too")
		}
		return nil
	}
	if p.Power, err = power.New(r.Power.Meter, r.Power.Interval); err != nil {
		return fmt.Errorf("--power: %w", err)
	}
	if len(p.Runs) > 0 && !slices.ContainsFunc(p.Runs, Run.Timed) {
		return fmt.Errorf("--power measures runs of mode %s, and this plan has none", ModePerformance)
	}
	return p.checkPowerLogs(r.Power.Logs)
}

// checkPowerLogs wants the logs of one session, and the one run that it belongs to.
func (p *Plan) checkPowerLogs(dir string) error {
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
	for _, run := range p.Runs {
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
func (r Request) withRanging(steps []step) []step {
	if !r.Power.Ranging {
		return steps
	}
	var all []step
	for _, st := range steps {
		if st.mode == loadgen.PerformanceOnly && !st.streams {
			all = append(all, step{scenario: st.scenario, mode: st.mode, ranging: true})
		}
		all = append(all, st)
	}
	return all
}

// checkExports wants a timed run to export, by a LoadGen that hands out what it measured.
func (p *Plan) checkExports(r Request) error {
	switch {
	case r.Output.ExportRows < 0:
		return fmt.Errorf("--export-rows %d: want 1 or more", r.Output.ExportRows)
	case len(r.Output.Exports) == 0:
		return nil
	case r.Rules.LoadGen == LoadGenOfficial:
		return errors.New("--export: the official LoadGen does not hand out what it measured; --trace writes its own log " +
			"of it")
	}
	for _, t := range p.Runs {
		if t.Mode != loadgen.AccuracyOnly {
			return nil
		}
	}
	if len(p.Runs) == 0 { // which is a fault of its own
		return nil
	}
	return errors.New("--export: it is of timed runs, and there is none")
}
