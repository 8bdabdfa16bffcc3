package onnxruntime

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/fetch"
	"github.com/plumbline-ml/plumbline/internal/fetch/filelock"
	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/internal/onnxlib"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Name is what stands for ONNX Runtime in the place of a model.
const Name = "onnxruntime"

// Word is what --ort-lib calls the build that was fetched last.
const Word = "fetched"

// folder is that of the builds in the cache, and of record.
const folder = "onnxruntime"

// fetchRecord says what was fetched.
type fetchRecord struct {
	Last    Library           `json:"last"`    // what Word means
	Archive map[string]string `json:"archive"` // sha256 of each at its first use, by name
}

// Library is the library of a fetched build.
type Library = onnxlib.Library

// Fetched is the result of Fetch.
type Fetched struct {
	Library
	SHA256   string // of the archive; empty for a folder placed by hand and for an interpreter's module
	Verified bool   // SHA256 is what the user, or an earlier use, said
	Pinned   bool   // SHA256 is that of a first use, and wanted from now on
}

// Fetch gets a build and makes it what Word means. dir is the cache's folder. An archive that was downloaded and whose
// checksum nobody gave is pinned: another one by its name is refused from then on, unless the user gives its checksum.
func Fetch(ctx context.Context, c *fetch.Cache, dir string, b Build) (Fetched, error) {
	if got, used, err := b.fromPackage(ctx, c, dir); used {
		return got, err
	}
	b, err := b.withDefaults()
	if err != nil {
		return Fetched{}, err
	}
	return b.downloadArchive(ctx, c, dir, b.archiveFile())
}

// downloadArchive gets an archive, pinned at its first use, and finds the library in it. One without a library goes, so
// that the next try begins anew.
func (b Build) downloadArchive(ctx context.Context, c *fetch.Cache, dir string, f fetch.File) (Fetched, error) {
	r, err := readRecord(dir)
	if err != nil {
		return Fetched{}, err
	}
	name := path.Base(f.Name)
	pinned := r.Archive[name]
	f.SHA256 = cmp.Or(f.SHA256, pinned)
	item, err := c.Get(ctx, f)
	if err != nil {
		return Fetched{}, b.explainError(err, f.SHA256 == pinned)
	}
	library, err := b.findLibrary(item.Path)
	if err != nil {
		return Fetched{}, errors.Join(fmt.Errorf("%s: %w", f.URL, err), os.RemoveAll(item.Path))
	}
	library.Variant = cmp.Or(b.Variant, library.Variant)
	got := Fetched{Library: library, SHA256: item.SHA256, Verified: item.Verified}
	got.Pinned = !got.Verified && got.SHA256 != ""
	return got, recordBuild(ctx, dir, name, got)
}

// recordBuild puts a build into the record, as it is now: another process may have fetched one meanwhile. An archive
// that has a name is pinned.
func recordBuild(ctx context.Context, dir, name string, got Fetched) error {
	release, err := filelock.Hold(ctx, recordPath(dir)+".held")
	if err != nil {
		return sdk.Usage(fmt.Errorf("the record of fetched builds: %w", err))
	}
	defer release()
	r, err := readRecord(dir)
	if err != nil {
		return err
	}
	if name != "" && got.SHA256 != "" {
		r.Archive[name] = got.SHA256
	}
	r.Last = got.Library
	return r.writeRecord(dir)
}

// explainError adds what to do.
func (b Build) explainError(err error, pinned bool) error {
	switch {
	case errors.Is(err, fetch.ErrChecksum) && pinned:
		return fmt.Errorf("%w\nthe sha256 that is wanted is that of the first download; if the release was made anew, give "+
			"the new one with --sha256", err)
	case errors.Is(err, fetch.ErrServer) && b.Release != "":
		return fmt.Errorf("%w\nis there a release %s? %s is the newest known here; --release names another",
			err, b.Release, Newest)
	}
	return err
}

// findLibrary finds the library for the machine in an unpacked archive.
func (b Build) findLibrary(dir string) (Library, error) {
	l, err := onnxlib.Find(dir, b.OS, b.Arch)
	if err != nil {
		err = sdk.Data(err)
	}
	return l, err
}

// Last returns the library that Word means. dir is the cache's folder; ok is false where none was fetched.
func Last(dir string) (l Library, ok bool, err error) {
	r, err := readRecord(dir)
	if err != nil || r.Last.Path == "" {
		return Library{}, false, err
	}
	if _, err := os.Stat(r.Last.Path); err != nil {
		return Library{}, false, sdk.Data(
			fmt.Errorf("ONNX Runtime %s was fetched and is gone: %w; run `harness fetch onnxruntime`", r.Last.Release, err))
	}
	return r.Last, true, nil
}

func recordPath(dir string) string { return filepath.Join(dir, folder, "fetched.json") }

// maxRecord is how large the record may be, in bytes.
const maxRecord = 1 << 20

func readRecord(dir string) (fetchRecord, error) {
	r := fetchRecord{Archive: map[string]string{}}
	path := recordPath(dir)
	text, err := backend.ReadFile(path, maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		return r, sdk.Data(fmt.Errorf("the record of fetched builds, %s: %w; remove it and fetch again", path, err))
	}
	if r.Archive == nil {
		r.Archive = map[string]string{}
	}
	return r, nil
}

func (r fetchRecord) writeRecord(dir string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = wholefile.Write(recordPath(dir), append(text, '\n'), 0o644)
	}
	if err != nil {
		return sdk.Usage(fmt.Errorf("the record of fetched builds: %w", err))
	}
	return nil
}
