// Package kept writes files next to the records of a measured server: tables of requests, a page, and the files of
// other tools.
package kept

import (
	"bufio"
	"errors"
	"io"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/page"
	"github.com/plumbline-ml/plumbline/internal/record/queries"
	"github.com/plumbline-ml/plumbline/internal/record/requests"
	"github.com/plumbline-ml/plumbline/internal/record/results"
	"github.com/plumbline-ml/plumbline/internal/serving/sweep"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/sweepfile"
)

// WriteTables writes tables of a point's requests and of the gaps between their events into the point's folder.
func WriteTables(dir string, p *sweep.SweepPoint) error {
	run := p.Record.Name()
	for name, write := range map[string]func(io.Writer, []metrics.Request, metrics.FigureRules, string) error{
		requests.ParquetName: queries.WriteRequests, requests.GapsName: queries.WriteGaps,
	} {
		err := wholefile.WriteWith(filepath.Join(dir, name), 0o644, func(w io.Writer) error {
			pieces := bufio.NewWriterSize(w, 1<<16)
			return errors.Join(write(pieces, p.Requests, p.Rules, run), pieces.Flush())
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// WritePage writes the page of a sweep into its folder.
func WritePage(dir string, f *sweepfile.Sweep) error {
	var set results.Set
	for _, r := range f.InOrder() {
		r.Dir = filepath.ToSlash(r.Dir)
		set.Runs = append(set.Runs, results.FoundRun{Run: r, Out: dir, File: filepath.Join(dir, r.Dir, record.FileName)})
	}
	report := page.Report{Set: set, Conclusion: f.Conclusion(), Version: shell.Version().Version}
	return report.WriteFile(filepath.Join(dir, page.FileName))
}
