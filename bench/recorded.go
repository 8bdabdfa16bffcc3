package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/export"
	"github.com/plumbline-ml/plumbline/bench/record/series"
)

// recorder leaves what a timed run measured in its folder, and notes in its record where that is not all.
func (r *runner) recorder(rec *record.Run) func(loadgen.Recording, string) error {
	return func(measured loadgen.Recording, dir string) error {
		faults := []error{writeSeries(measured, dir)}
		s := export.Of(measured, r.request.ExportRows)
		for _, f := range r.request.Exports {
			faults = append(faults, writeExport(f, s, dir))
		}
		if len(r.request.Exports) > 0 && s.Step() > 1 {
			rec.Notes = append(rec.Notes, record.Finding{About: "export", Text: fmt.Sprintf(
				"The run has %s samples: the export lists every %dth query. --export-rows %d has room for all.",
				figure.Count(uint64(measured.Samples())), s.Step(), measured.Samples())})
		}
		return errors.Join(faults...)
	}
}

// writeSeries leaves what a timed run measured over time in its folder.
func writeSeries(r loadgen.Recording, dir string) error {
	text, err := series.Of(r).JSON()
	if err != nil {
		return err
	}
	return wholefile.Write(filepath.Join(dir, series.FileName), text, 0o644)
}

// writeExport writes the samples in one format. What could not be written whole is removed.
func writeExport(f export.Format, s export.Samples, dir string) error {
	file, err := wholefile.Create(filepath.Join(dir, f.Name), 0o644)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Write(file, s), file.Close()); err != nil {
		return errors.Join(fmt.Errorf("exporting %s: %w", f.Name, err), os.Remove(file.Name()))
	}
	return nil
}

// checkExports wants a timed run to export, by a LoadGen that hands out what it measured.
func (p *Plan) checkExports(r Request) error {
	switch {
	case r.ExportRows < 0:
		return fmt.Errorf("--export-rows %d: want 1 or more", r.ExportRows)
	case len(r.Exports) == 0:
		return nil
	case r.LoadGen == LoadGenOfficial:
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
