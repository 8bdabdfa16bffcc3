package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/power"
	"github.com/plumbline-ml/plumbline/bench/power/spl"
	"github.com/plumbline-ml/plumbline/bench/report"
)

// choosePower makes the meter, which has to be able to measure a run of the plan.
func (p *Plan) choosePower(r Request) (err error) {
	if r.Power == "" {
		if r.PowerInterval != 0 || r.PowerRanging {
			return errors.New("--power-interval and --power-ranging say how power is measured: give --power, too")
		}
		return nil
	}
	if p.Power, err = power.New(r.Power, r.PowerInterval); err != nil {
		return fmt.Errorf("--power: %w", err)
	}
	if len(p.Runs) > 0 && !slices.ContainsFunc(p.Runs, PlannedRun.timed) {
		return fmt.Errorf("--power measures runs of mode %s, and this plan has none", ModePerformance)
	}
	return nil
}

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
func (m *measurement) finish(ctx context.Context, dir string, rec *report.Run) error {
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
	f, err := os.Open(path)
	if err != nil {
		return spl.Average{}, err
	}
	defer f.Close()
	return w.Average(f)
}

// windowOf reads from a run's detail log when it began and ended, and its number of queries.
func windowOf(dir string) (w spl.Window, queries uint64, err error) {
	f, err := os.Open(filepath.Join(dir, "mlperf_log_detail.txt"))
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
