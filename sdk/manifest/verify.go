package manifest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk"
)

// verifyDataset reads all samples of a data set like a run, and compares the set with the manifest. Its error lists all
// faults and explains how to get missing files.
func (b manifestBenchmark) verifyDataset(ctx context.Context, r sdk.DatasetRequest,
	progress func(string)) (done string, err error) {
	e, err := b.manifest.Model(r.Model)
	if err != nil {
		return "", err
	}
	count, err := wholeNumber(countParam, r.Params[countParam], 0)
	if err != nil {
		return "", err
	}
	files, err := surveyFiles(ctx, r.Input, e.archiveFiles())
	if err != nil {
		return "", sdk.Data(err)
	}
	n, err := b.readAll(ctx, e, r, count, progress)
	faults := append(files.faults, err)
	if count == 0 {
		faults = append(faults, e.checkSamples(n))
	}
	if err := errors.Join(faults...); err != nil {
		if err = fmt.Errorf("%w%s", err, e.sourceText()); errors.Is(err, sdk.ErrUsage) {
			return "", err
		}
		return "", sdk.Data(err)
	}
	return fmt.Sprintf("%d samples, all can be read; %s", n, files), nil
}

// readAll opens the data set and loads its first count samples, or all if count is 0.
func (b manifestBenchmark) readAll(ctx context.Context, e *ModelEntry, r sdk.DatasetRequest, count int,
	progress func(string)) (int, error) {
	o := sdk.Options{Model: e.Name, Dataset: r.Input, Count: count, Params: map[string]string{}}
	for _, p := range e.Params {
		if v := r.Params[p.Name]; v != "" {
			o.Params[p.Name] = v
		}
	}
	request, err := b.manifest.runRequest(o)
	if err != nil {
		return 0, err
	}
	request.Verifying = true
	w, err := b.open(ctx, request)
	if err != nil {
		return 0, err
	}
	return w.Len(), errors.Join(loadAll(ctx, w, progress), w.Close())
}

// checkSamples compares a number of samples with that of the official sets. 0 means that no set could be opened.
func (e *ModelEntry) checkSamples(n int) error {
	var sets []string
	for _, d := range e.ModelInfo.Datasets {
		if d.Embedded {
			continue
		}
		if n == d.Samples || d.Samples == 0 || n == 0 {
			return nil
		}
		sets = append(sets, fmt.Sprintf("%d of %s", d.Samples, d.Name))
	}
	if len(sets) == 0 {
		return nil
	}
	return fmt.Errorf("%d samples, want %s; of a part on purpose say so: --param %s=%d", n, strings.Join(sets, " or "),
		countParam, n)
}

// sourceText explains how to get the official sets.
func (e *ModelEntry) sourceText() string {
	var text strings.Builder
	for _, d := range e.ModelInfo.Datasets {
		if d.Embedded {
			continue
		}
		fmt.Fprintf(&text, "\n%s is %s", d.Name, d.Layout)
		if len(d.Archives) > 0 {
			fmt.Fprintf(&text, "; harness fetch %s downloads it", e.Name)
		}
		if d.Note != "" {
			fmt.Fprintf(&text, "; %s", d.Note)
		}
	}
	return text.String()
}

// archiveFiles returns the files of the official sets with known checksums, by name.
func (e *ModelEntry) archiveFiles() map[string]sdk.ArchiveFile {
	known := map[string]sdk.ArchiveFile{}
	for _, d := range e.ModelInfo.Datasets {
		for _, a := range d.Archives {
			known[a.Name] = a
		}
	}
	return known
}

// surveyResult contains the numbers and faults of the files in a data set.
type surveyResult struct {
	files, checked int
	size           int64
	faults         []error
}

func (s surveyResult) String() string {
	text := fmt.Sprintf("%d files, %.1f MB", s.files, float64(s.size)/1e6)
	if s.checked > 0 {
		text += fmt.Sprintf(", %d of them with the checksum that is known", s.checked)
	}
	return text
}

// surveyFiles counts the files in a file or folder, and compares the known ones.
func surveyFiles(ctx context.Context, root string, known map[string]sdk.ArchiveFile) (s surveyResult, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		info, err := os.Stat(path) // follows links
		switch {
		case err != nil:
			s.faults = append(s.faults, err)
		case info.Mode().IsRegular():
			s.addFile(path, info.Size(), known[d.Name()])
		}
		return nil
	})
	return s, err
}

func (s *surveyResult) addFile(path string, size int64, known sdk.ArchiveFile) {
	s.files++
	s.size += size
	switch {
	case size == 0:
		s.faults = append(s.faults, fmt.Errorf("%s is empty", path))
	case known.SHA256 != "":
		s.checked++
		s.faults = append(s.faults, compareFile(path, size, known))
	}
}

// compareFile requires that a file is the known one.
func compareFile(path string, size int64, known sdk.ArchiveFile) error {
	if known.Size > 0 && size != known.Size {
		return fmt.Errorf("%s has %d bytes, want %d", path, size, known.Size)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); !strings.EqualFold(got, known.SHA256) {
		return fmt.Errorf("%s has the SHA-256 %s, want %s", path, got, known.SHA256)
	}
	return nil
}
