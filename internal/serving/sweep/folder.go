package sweep

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/power/spl"
	"github.com/plumbline-ml/plumbline/internal/record/output"
	"github.com/plumbline-ml/plumbline/internal/record/requests"
	"github.com/plumbline-ml/plumbline/internal/record/series"
	"github.com/plumbline-ml/plumbline/serving/sweepfile"
)

// SweepFolder is the folder of a sweep. It contains sweep.json, curve.csv and a folder for each point.
type SweepFolder struct {
	Dir string
	// WriteExtra, if not nil, writes additional files of a point into its folder.
	WriteExtra func(dir string, p *SweepPoint) error

	claim          *output.Claim
	replacedPoints []string // folders of a replaced sweep's points, removed before the first new point
	hasWritten     bool
}

// OpenFolder claims the folder out for a sweep with the given flags. If out is empty, it claims the first free one of
// bench-1, bench-2 and so on. The returned sweep is an interrupted one in the folder with the same flags, to be
// resumed; otherwise it is nil. A folder with another sweep is an error unless force is set, which replaces that sweep.
func OpenFolder(out string, force bool, flags []string) (*SweepFolder, *sweepfile.Sweep, error) {
	if out != "" {
		return openFolder(out, force, flags)
	}
	for n := 1; ; n++ {
		dir := fmt.Sprintf("bench-%d", n)
		if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
			return openFolder(dir, false, flags)
		}
		if found, err := sweepfile.Read(filepath.Join(dir, sweepfile.Name)); err != nil || found.Complete ||
			!slices.Equal(found.Flags, flags) {
			continue
		}
		f, found, err := openFolder(dir, false, flags)
		if err == nil {
			return f, found, nil
		}
	}
}

func openFolder(dir string, force bool, flags []string) (*SweepFolder, *sweepfile.Sweep, error) {
	f := &SweepFolder{Dir: dir}
	path := filepath.Join(dir, sweepfile.Name)
	found, err := sweepfile.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		found = nil
		if _, err := os.Lstat(filepath.Join(dir, record.FileName)); err == nil {
			return nil, nil, sdk.Usage(fmt.Errorf("--out %s: it holds results of runs; give another folder", dir))
		}
	case err != nil && !force:
		return nil, nil, sdk.Usage(fmt.Errorf("--out %s: %w; give another folder, or --force to replace what is there", dir,
			err))
	case err != nil:
		found = nil
	case force:
		for _, r := range found.Points {
			f.replacedPoints = append(f.replacedPoints, r.Dir)
		}
		found = nil
	case !slices.Equal(found.Flags, flags):
		return nil, nil, sdk.Usage(fmt.Errorf("--out %s: it holds another measurement: %s; give another folder, or --force "+
			"to replace it", dir, differingFlags(found.Flags, flags)))
	}
	if f.claim, err = output.Hold(dir); err != nil {
		return nil, nil, err
	}
	return f, found, nil
}

// differingFlags returns a text that lists the differing flags.
func differingFlags(there, here []string) string {
	text := ""
	for _, of := range []struct {
		what     string
		has, not []string
	}{{"there with", there, here}, {"here with", here, there}} {
		for _, flag := range of.has {
			if !slices.Contains(of.not, flag) {
				if text != "" {
					text += ", "
				}
				text += of.what + " " + flag
			}
		}
	}
	if text == "" {
		return "in another order"
	}
	return text
}

// Close releases the folder. It removes a new folder that is still empty.
func (f *SweepFolder) Close() {
	if !f.hasWritten {
		f.claim.Discard()
	}
	f.claim.Release()
}

// FilesIntact reports whether the files of all points of a sweep are unchanged.
func FilesIntact(dir string, s *sweepfile.Sweep) bool {
	for i := range s.Points {
		if checkPoint(dir, s.Points, i) != nil {
			return false
		}
	}
	return true
}

// checkPoint returns an error if the files of the point at index at have changed. Earlier versions kept no checksums.
// Their points pass if the requests exist and no later point uses the same folder.
func checkPoint(dir string, points []record.Run, at int) error {
	r := points[at]
	if len(r.Files) > 0 {
		return record.CheckFiles(dir, r.Files)
	}
	if slices.ContainsFunc(points[at+1:], func(later record.Run) bool { return later.Dir == r.Dir }) {
		return errors.New("another point has its folder")
	}
	if _, err := os.Stat(filepath.Join(dir, r.Dir, requests.JSONLName)); err != nil {
		return fmt.Errorf("its requests are gone: %w", err)
	}
	return nil
}

// ServerMetricsName is the name of the file with a server's own metrics at a point.
const ServerMetricsName = "server.json"

// SavePoint writes a point's record, requests and other files into the folder name. It sets the record's Dir and
// checksums.
func (f *SweepFolder) SavePoint(name string, p *SweepPoint) error {
	return sdk.Usage(f.writePoint(name, p))
}

func (f *SweepFolder) writePoint(name string, p *SweepPoint) error {
	dir, err := f.makePointFolder(name)
	if err != nil {
		return err
	}
	err = wholefile.WriteWith(filepath.Join(dir, requests.JSONLName), 0o644, func(w io.Writer) error {
		return requests.Write(w, p.Requests, p.Rules)
	})
	if err != nil {
		return err
	}
	if err := writeSeries(dir, p); err != nil {
		return err
	}
	if len(p.Power) > 0 {
		if err := wholefile.Write(filepath.Join(dir, spl.FileName), p.Power, 0o644); err != nil {
			return err
		}
	}
	if f.WriteExtra != nil {
		if err := f.WriteExtra(dir, p); err != nil {
			return err
		}
	}
	if p.ServerMetrics != nil {
		text, err := json.MarshalIndent(p.ServerMetrics, "", "  ")
		if err != nil {
			return err
		}
		if err := wholefile.Write(filepath.Join(dir, ServerMetricsName), append(text, '\n'), 0o644); err != nil {
			return err
		}
	}
	return p.writeSealedRecord(dir, name)
}

// writeSealedRecord writes the record of a point into dir, which contains its other files. The record in the file
// contains their checksums. p.Record then contains those of all files, including the record, with paths below name.
func (p *SweepPoint) writeSealedRecord(dir, name string) error {
	path := filepath.Join(dir, record.FileName)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a replaced point
		return err
	}
	var err error
	if p.Record.Files, err = record.FilesIn(dir, ""); err != nil {
		return err
	}
	text, err := record.NewDocument([]record.Run{p.Record}).JSON()
	if err != nil {
		return err
	}
	if err := wholefile.Write(path, text, 0o644); err != nil {
		return err
	}
	p.Record.Dir = name
	p.Record.Files, err = record.FilesIn(dir, name)
	return err
}

// writeSeries writes the measurements over time. It keeps a series that LoadGen has already written, and adds the
// lengths and the server's metrics.
func writeSeries(dir string, p *SweepPoint) error {
	of := series.FromRequests(p.Requests, p.Rules, p.Began)
	if p.Record.Performance != nil {
		if kept, err := series.Read(dir); err == nil {
			kept.Lengths, of = of.Lengths, kept
		}
	}
	of.Collected = p.OverTime
	text, err := of.JSON()
	if err != nil {
		return err
	}
	return wholefile.Write(filepath.Join(dir, series.FileName), text, 0o644)
}

// makePointFolder creates the folder of a point.
func (f *SweepFolder) makePointFolder(name string) (dir string, err error) {
	if err := f.claim.Check(); err != nil {
		return "", err
	}
	if err := f.removeReplaced(); err != nil {
		return "", err
	}
	f.hasWritten = true
	dir = filepath.Join(f.Dir, name)
	return dir, os.MkdirAll(dir, 0o755)
}

// removeReplaced removes the points of a replaced sweep before the first new point.
func (f *SweepFolder) removeReplaced() error {
	for _, name := range f.replacedPoints {
		if name == "" || !filepath.IsLocal(name) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(f.Dir, name)); err != nil {
			return err
		}
	}
	f.replacedPoints = nil
	return nil
}

// SaveSweep writes sweep.json and curve.csv.
func (f *SweepFolder) SaveSweep(s *sweepfile.Sweep) error { return sdk.Usage(f.writeSweep(s)) }

func (f *SweepFolder) writeSweep(s *sweepfile.Sweep) error {
	if len(s.Points) == 0 {
		return nil // nothing to save
	}
	if err := f.claim.Check(); err != nil {
		return err
	}
	f.hasWritten = true
	var b bytes.Buffer
	if err := s.WriteCSV(&b); err != nil {
		return err
	}
	if err := wholefile.Write(filepath.Join(f.Dir, sweepfile.CSVName), b.Bytes(), 0o644); err != nil {
		return err
	}
	return s.Write(filepath.Join(f.Dir, sweepfile.Name))
}
