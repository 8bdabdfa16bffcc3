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

// RuntimeName selects ONNX Runtime instead of a model.
const RuntimeName = "onnxruntime"

// FetchedWord is the value of --ort-lib that selects the build fetched last.
const FetchedWord = "fetched"

// cacheFolder is the cache's folder for the builds and the record.
const cacheFolder = "onnxruntime"

// fetchRecord lists the fetched builds.
type fetchRecord struct {
	Last    Library           `json:"last"`    // the build of Word
	Archive map[string]string `json:"archive"` // sha256 of each archive at first use, by name
}

// Library is the library of a fetched build.
type Library = onnxlib.Library

// FetchedBuild is the result of Fetch.
type FetchedBuild struct {
	Library
	SHA256   string // of the archive; empty for a folder placed by hand and for a Python module
	Verified bool   // SHA256 equals the user's or the recorded one
	Pinned   bool   // SHA256 was recorded now and is required from now on
}

// Fetch gets a build and records it as the build of Word. dir is the cache's folder. If the user gives no checksum for
// a downloaded archive, Fetch records its checksum at first use. Later archives with the same name but another checksum
// are rejected, unless the user gives that checksum.
func Fetch(ctx context.Context, c *fetch.Cache, dir string, b RuntimeBuild) (FetchedBuild, error) {
	if got, used, err := b.fromPackage(ctx, c, dir); used {
		return got, err
	}
	b, err := b.withDefaults()
	if err != nil {
		return FetchedBuild{}, err
	}
	return b.downloadArchive(ctx, c, dir, b.archiveFile())
}

// downloadArchive gets an archive, records its checksum at first use, and finds the library in it. It deletes an
// archive without a library, so the next attempt starts again.
func (b RuntimeBuild) downloadArchive(ctx context.Context, c *fetch.Cache, dir string, f fetch.File) (FetchedBuild,
	error) {
	r, err := readRecord(dir)
	if err != nil {
		return FetchedBuild{}, err
	}
	name := path.Base(f.Name)
	pinned := r.Archive[name]
	f.SHA256 = cmp.Or(f.SHA256, pinned)
	item, err := c.Get(ctx, f)
	if err != nil {
		return FetchedBuild{}, b.explainError(err, f.SHA256 == pinned)
	}
	library, err := b.findLibrary(item.Path)
	if err != nil {
		return FetchedBuild{}, errors.Join(fmt.Errorf("%s: %w", f.URL, err), os.RemoveAll(item.Path))
	}
	library.Variant = cmp.Or(b.Variant, library.Variant)
	got := FetchedBuild{Library: library, SHA256: item.SHA256, Verified: item.Verified}
	got.Pinned = !got.Verified && got.SHA256 != ""
	return got, recordBuild(ctx, dir, name, got)
}

// recordBuild adds a build to the current record, because another process may have changed it meanwhile. If name is not
// empty, it also records the archive's checksum.
func recordBuild(ctx context.Context, dir, name string, got FetchedBuild) error {
	release, err := filelock.HoldLock(ctx, recordPath(dir)+".held")
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

// explainError adds advice to an error.
func (b RuntimeBuild) explainError(err error, pinned bool) error {
	switch {
	case errors.Is(err, fetch.ErrChecksum) && pinned:
		return fmt.Errorf("%w\nthe sha256 that is wanted is that of the first download; if the release was made anew, give "+
			"the new one with --sha256", err)
	case errors.Is(err, fetch.ErrServer) && b.Release != "":
		return fmt.Errorf("%w\nis there a release %s? %s is the newest known here; --release names another",
			err, b.Release, NewestRelease)
	}
	return err
}

// findLibrary finds the library for the machine in an unpacked archive.
func (b RuntimeBuild) findLibrary(dir string) (Library, error) {
	l, err := onnxlib.FindLibrary(dir, b.OS, b.Arch)
	if err != nil {
		err = sdk.Data(err)
	}
	return l, err
}

// LastFetched returns the library of Word. dir is the cache's folder; ok is false if none was fetched.
func LastFetched(dir string) (l Library, ok bool, err error) {
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

func recordPath(dir string) string { return filepath.Join(dir, cacheFolder, "fetched.json") }

// maxRecord limits the size of the record in bytes.
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
