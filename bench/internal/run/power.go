package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"

	"github.com/plumbline-ml/plumbline/bench/plan"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/power"
	"github.com/plumbline-ml/plumbline/internal/power/spl"
)

// takePowerLogs copies the logs of the official power tools next to those of the run.
func takePowerLogs(p *plan.Plan, t plan.Run) error {
	dir := p.Request.Power.Logs
	if dir == "" || t.ModeName() != plan.ModePerformance {
		return nil
	}
	for _, name := range power.SessionFiles() {
		text, err := backend.ReadFile(filepath.Join(dir, name), maxSessionFile)
		if err == nil {
			err = wholefile.Write(filepath.Join(p.Out, p.PowerDir(), name), text, 0o644)
		}
		if err != nil {
			return sdk.Usage(fmt.Errorf("--power-logs: %w", err))
		}
	}
	return nil
}

// maxSessionFile is the maximum size of a log of the power tools, in bytes. The log of a long session has a few
// megabytes.
const maxSessionFile = 256 << 20

// powerMeasurement is a power measurement in progress; nil: none.
type powerMeasurement struct {
	meter     *power.Meter
	recording *power.Recording
}

// startPower starts the power measurement of a run if there is a meter.
func startPower(ctx context.Context, meter *power.Meter, t plan.Run) (*powerMeasurement, error) {
	if meter == nil || !t.Timed() {
		return nil, nil
	}
	recording, err := meter.Start(ctx)
	if err != nil {
		return nil, sdk.Usage(fmt.Errorf("--power: %w", err))
	}
	return &powerMeasurement{meter, recording}, nil
}

// finish ends the measurement, writes the samples next to the logs in dir and adds their averages to the record. An
// error concerns the files.
func (m *powerMeasurement) finish(ctx context.Context, dir string, rec *record.Run) error {
	if m == nil {
		return nil
	}
	w, queries, unknown := measuredWindow(dir)
	text, stopped := m.recording.Finish(ctx, w)
	if _, err := os.Stat(dir); err != nil { // the folder of the logs was removed; do not create it again
		return nil
	}
	path := filepath.Join(dir, spl.FileName)
	if err := wholefile.Write(path, text, 0o644); err != nil {
		return sdk.Usage(err)
	}
	if rec.Performance == nil {
		return nil
	}
	a, err := powerAverage(path, w)
	var faults []string
	for _, fault := range []error{unknown, stopped, err} {
		if fault != nil {
			faults = append(faults, fault.Error())
		}
	}
	rec.FromPower(m.meter.String(), a, queries, append(faults, m.meter.Judge(a)...))
	return nil
}

func powerAverage(path string, w spl.Window) (spl.Average, error) {
	f, err := bounded.Open(path)
	if err != nil {
		return spl.Average{}, err
	}
	defer f.Close()
	return w.Average(f)
}

// measuredWindow reads a run's detail log and returns its measured time and its number of queries.
func measuredWindow(dir string) (w spl.Window, queries uint64, err error) {
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
