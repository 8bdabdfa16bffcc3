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
	"github.com/plumbline-ml/plumbline/internal/lists"
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
	// Extra, if not nil, writes more files of a point into its folder.
	Extra func(dir string, p *SweepPoint) error

	claim *output.Claim
	stale []string // folders of the points of a sweep that is to be replaced, by its first new point
	wrote bool
}

// OpenFolder claims the folder out for a sweep with the flags, or where out is empty the first of bench-1, bench-2, ...
// that is free. The sweep is one that lies there and has the same flags: what is complete of it need not be measured
// again; of another one, or of none, it is nil. A folder with another sweep is an error, unless force says to replace
// it.
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
		f.stale = append(f.stale, lists.Map(found.Points, func(r record.Run) string { return r.Dir })...)
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

// differingFlags says which flags are not the same.
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

// Close gives the folder free. One that was made for a sweep of which nothing is kept goes.
func (f *SweepFolder) Close() {
	if !f.wrote {
		f.claim.Discard()
	}
	f.claim.Release()
}

// FilesIntact says that the files of all points of a sweep in a folder are as they were written.
func FilesIntact(dir string, s *sweepfile.Sweep) bool {
	for i := range s.Points {
		if checkPoint(dir, s.Points, i) != nil {
			return false
		}
	}
	return true
}

// checkPoint says what is wrong with the files of one of the points in a folder. Earlier versions kept no checksums:
// there it is enough that its requests are there, and are no later point's.
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

// ToldName is the file of what a server told of itself at a point.
const ToldName = "server.json"

// KeepPoint writes a point: its record and its requests, into a folder of that name. The record has its Dir afterwards,
// and the checksums of the files.
func (f *SweepFolder) KeepPoint(name string, p *SweepPoint) error {
	return sdk.Usage(f.writePoint(name, p))
}

func (f *SweepFolder) writePoint(name string, p *SweepPoint) error {
	dir, err := f.makePointFolder(name)
	if err != nil {
		return err
	}
	err = wholefile.WriteBy(filepath.Join(dir, requests.JSONLName), 0o644, func(w io.Writer) error {
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
	if f.Extra != nil {
		if err := f.Extra(dir, p); err != nil {
			return err
		}
	}
	if p.Told != nil {
		text, err := json.MarshalIndent(p.Told, "", "  ")
		if err != nil {
			return err
		}
		if err := wholefile.Write(filepath.Join(dir, ToldName), append(text, '\n'), 0o644); err != nil {
			return err
		}
	}
	return p.writeSealedRecord(dir, name)
}

// writeSealedRecord writes the record of a point whose other files are in its folder, dir. The record has their
// checksums there, and its own beside them in p, below the name of the folder.
func (p *SweepPoint) writeSealedRecord(dir, name string) error {
	path := filepath.Join(dir, record.FileName)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a point that this one replaces
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

// writeSeries writes what was measured over time. What LoadGen has left there, where it sent, stays, and gets what the
// server told.
func writeSeries(dir string, p *SweepPoint) error {
	of := series.OfRequests(p.Requests, p.Rules, p.Began)
	if p.Record.Performance != nil {
		if kept, err := series.Read(dir); err == nil {
			kept.Lengths, of = of.Lengths, kept
		}
	}
	of.Told = p.Over
	text, err := of.JSON()
	if err != nil {
		return err
	}
	return wholefile.Write(filepath.Join(dir, series.FileName), text, 0o644)
}

// makePointFolder makes the folder of a point.
func (f *SweepFolder) makePointFolder(name string) (dir string, err error) {
	if err := f.claim.Check(); err != nil {
		return "", err
	}
	if err := f.removeReplaced(); err != nil {
		return "", err
	}
	f.wrote = true
	dir = filepath.Join(f.Dir, name)
	return dir, os.MkdirAll(dir, 0o755)
}

// removeReplaced removes the points of the sweep that is to be replaced: there are new ones now.
func (f *SweepFolder) removeReplaced() error {
	for _, name := range f.stale {
		if name == "" || !filepath.IsLocal(name) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(f.Dir, name)); err != nil {
			return err
		}
	}
	f.stale = nil
	return nil
}

// SaveSweep writes sweep.json and curve.csv.
func (f *SweepFolder) SaveSweep(s *sweepfile.Sweep) error { return sdk.Usage(f.writeSweep(s)) }

func (f *SweepFolder) writeSweep(s *sweepfile.Sweep) error {
	if len(s.Points) == 0 {
		return nil // there is nothing to be kept
	}
	if err := f.claim.Check(); err != nil {
		return err
	}
	f.wrote = true
	var b bytes.Buffer
	if err := s.WriteCSV(&b); err != nil {
		return err
	}
	if err := wholefile.Write(filepath.Join(f.Dir, sweepfile.CSVName), b.Bytes(), 0o644); err != nil {
		return err
	}
	return s.Write(filepath.Join(f.Dir, sweepfile.Name))
}
