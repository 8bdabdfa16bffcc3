package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"

	"github.com/plumbline-ml/plumbline/bench/power"
	"github.com/plumbline-ml/plumbline/bench/power/spl"
	"github.com/plumbline-ml/plumbline/bench/record"
)

// choosePower makes the meter, which has to be able to measure a run of the plan.
func (p *Plan) choosePower(r Request) (err error) {
	if r.Power == "" {
		if r.PowerInterval != 0 || r.PowerRanging || r.PowerLogs != "" {
			return errors.New("--power-interval, --power-ranging and --power-logs say how power is measured: give --power, too")
		}
		return nil
	}
	if p.Power, err = power.New(r.Power, r.PowerInterval); err != nil {
		return fmt.Errorf("--power: %w", err)
	}
	if len(p.Runs) > 0 && !slices.ContainsFunc(p.Runs, PlannedRun.timed) {
		return fmt.Errorf("--power measures runs of mode %s, and this plan has none", ModePerformance)
	}
	return p.checkPowerLogs(r.PowerLogs)
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

// powerDir is where the logs of the official power tools go, relative to the output directory.
func (p *Plan) powerDir() string {
	for _, run := range p.Runs {
		if run.ModeName() == ModePerformance {
			return filepath.Join(filepath.Dir(run.Dir), "power")
		}
	}
	return ""
}

// takePowerLogs copies the logs of the official power tools beside those of the run.
func (p *Plan) takePowerLogs(t PlannedRun) error {
	dir := p.request.PowerLogs
	if dir == "" || t.ModeName() != ModePerformance {
		return nil
	}
	for _, name := range power.SessionFiles() {
		text, err := backend.ReadFile(filepath.Join(dir, name), mostSessionFile)
		if err == nil {
			err = wholefile.Write(filepath.Join(p.Out, p.powerDir(), name), text, 0o644)
		}
		if err != nil {
			return sdk.Usage(fmt.Errorf("--power-logs: %w", err))
		}
	}
	return nil
}

// mostSessionFile is the size up to which a log of the power tools is read: that of a long session has some megabytes.
const mostSessionFile = 256 << 20

// timed says whether power is measured in the run.
func (r PlannedRun) timed() bool {
	return r.ModeName() == ModePerformance || r.ModeName() == ModeRanging
}

// withRanging puts a ranging run before each step that is timed, where they are asked for.
func (r Request) withRanging(steps []step) []step {
	if !r.PowerRanging {
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

// measurement is a power measurement under way; nil is none.
type measurement struct {
	meter     *power.Meter
	recording *power.Recording
}

// startPower begins to measure a run's power, where it has a meter.
func startPower(ctx context.Context, meter *power.Meter, t PlannedRun) (*measurement, error) {
	if meter == nil || !t.timed() {
		return nil, nil
	}
	recording, err := meter.Start(ctx)
	if err != nil {
		return nil, sdk.Usage(fmt.Errorf("--power: %w", err))
	}
	return &measurement{meter, recording}, nil
}

// finish ends the measurement, writes the samples beside the logs in dir and what they say into the record. An error is
// of the files.
func (m *measurement) finish(ctx context.Context, dir string, rec *record.Run) error {
	if m == nil {
		return nil
	}
	w, queries, unknown := windowOf(dir)
	text, stopped := m.recording.Finish(ctx, w)
	if _, err := os.Stat(dir); err != nil { // the folder of the logs is gone, and not ours to make again
		return nil
	}
	path := filepath.Join(dir, spl.FileName)
	if err := wholefile.Write(path, text, 0o644); err != nil {
		return sdk.Usage(err)
	}
	if rec.Performance == nil {
		return nil
	}
	a, err := average(path, w)
	var faults []string
	for _, fault := range []error{unknown, stopped, err} {
		if fault != nil {
			faults = append(faults, fault.Error())
		}
	}
	rec.FromPower(m.meter.String(), a, queries, append(faults, m.meter.Judge(a)...))
	return nil
}

func average(path string, w spl.Window) (spl.Average, error) {
	f, err := bounded.Open(path)
	if err != nil {
		return spl.Average{}, err
	}
	defer f.Close()
	return w.Average(f)
}

// windowOf reads from a run's detail log when it began and ended, and its number of queries.
func windowOf(dir string) (w spl.Window, queries uint64, err error) {
	f, err := bounded.Open(filepath.Join(dir, mllog.DetailFile))
	if err != nil {
		return w, 0, err
	}
	defer f.Close()
	log, err := mllog.ScanDetail(f)
	if err != nil {
		return w, 0, err
	}
	begin, _ := log.First("power_begin")
	end, _ := log.First("power_end")
	count, _ := log.First("result_query_count")
	from, _ := begin.Text()
	to, _ := end.Text()
	queries, _ = count.Uint()
	w, err = spl.ParseWindow(from, to)
	return w, queries, err
}
