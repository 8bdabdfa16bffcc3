package onnxruntime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/fetch"
	"github.com/plumbline-ml/plumbline/fetch/filelock"
	"github.com/plumbline-ml/plumbline/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Name is what stands for ONNX Runtime in the place of a model.
const Name = "onnxruntime"

// Word is what --ort-lib calls the build that was fetched last.
const Word = "fetched"

// folder is that of the builds in the cache, and of record.
const folder = "onnxruntime"

// record says what was fetched.
type record struct {
	Last    Library           `json:"last"`    // what Word means
	Archive map[string]string `json:"archive"` // sha256 of each at its first use, by name
}

// Library is a fetched build's.
type Library struct {
	Path    string `json:"path"` // of the library itself
	Release string `json:"release"`
	Variant string `json:"variant"`
}

// Fetched is what Fetch found or got.
type Fetched struct {
	Library
	SHA256   string // of the archive; empty for a folder placed by hand
	Verified bool   // SHA256 is what the user, or an earlier use, said
}

// Fetch gets a build and makes it what Word means. dir is the cache's folder. An archive whose checksum nobody gave is
// pinned: another one by its name is refused from then on, unless the user gives its checksum.
func Fetch(ctx context.Context, c *fetch.Cache, dir string, b Build) (Fetched, error) {
	b, err := b.withDefaults()
	if err != nil {
		return Fetched{}, err
	}
	r, err := readRecord(dir)
	if err != nil {
		return Fetched{}, err
	}
	pinned := r.Archive[b.name()]
	if b.SHA256 == "" {
		b.SHA256 = pinned
	}
	item, err := c.Get(ctx, b.file())
	if err != nil {
		return Fetched{}, b.explain(err, pinned)
	}
	library, err := b.find(item.Path)
	if err != nil {
		return Fetched{}, err
	}
	got := Fetched{SHA256: item.SHA256, Verified: item.Verified}
	got.Library = Library{Path: library, Release: b.Release, Variant: b.Variant}
	return got, note(ctx, dir, b, got)
}

// note puts a build into the record, as it is now: another process may have fetched one meanwhile.
func note(ctx context.Context, dir string, b Build, got Fetched) error {
	release, err := filelock.Hold(ctx, recordPath(dir)+".held")
	if err != nil {
		return sdk.Usage(fmt.Errorf("the record of fetched builds: %w", err))
	}
	defer release()
	r, err := readRecord(dir)
	if err != nil {
		return err
	}
	if got.SHA256 != "" {
		r.Archive[b.name()] = got.SHA256
	}
	r.Last = got.Library
	return r.write(dir)
}

// explain adds what to do.
func (b Build) explain(err error, pinned string) error {
	switch {
	case errors.Is(err, fetch.ErrChecksum) && b.SHA256 == pinned:
		return fmt.Errorf("%w\nthe sha256 that is wanted is that of the first download; if the release was made anew, give "+
			"the new one with --sha256", err)
	case errors.Is(err, fetch.ErrServer):
		return fmt.Errorf("%w\nis there a release %s? %s is the newest known here; --release names another",
			err, b.Release, Newest)
	}
	return err
}

// libraryNames are what the library is called, by operating system.
var libraryNames = map[string]string{"linux": "libonnxruntime.so", "darwin": "libonnxruntime.dylib"}

// find returns the library in the unpacked archive. A folder without one goes, so that the next try begins anew.
func (b Build) find(dir string) (string, error) {
	for _, in := range []string{filepath.Join(dir, b.name(), "lib"), filepath.Join(dir, "lib")} {
		path := filepath.Join(in, libraryNames[b.OS])
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	err := fmt.Errorf("%s.tgz holds no %s/lib/%s: it is not an archive of the project's", b.name(),
		b.name(), libraryNames[b.OS])
	return "", sdk.Data(errors.Join(err, os.RemoveAll(dir)))
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

// mostRecord is how large the record may be, in bytes.
const mostRecord = 1 << 20

func readRecord(dir string) (record, error) {
	r := record{Archive: map[string]string{}}
	path := recordPath(dir)
	text, err := backend.ReadFile(path, mostRecord)
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

func (r record) write(dir string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = wholefile.Write(recordPath(dir), append(text, '\n'), 0o644)
	}
	if err != nil {
		return sdk.Usage(fmt.Errorf("the record of fetched builds: %w", err))
	}
	return nil
}
