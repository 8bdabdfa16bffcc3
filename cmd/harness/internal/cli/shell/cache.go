package shell

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/fetch"
	"github.com/plumbline-ml/plumbline/sdk"
)

// CacheVariable is the environment variable for the folder of package fetch.
const CacheVariable = "PLUMBLINE_CACHE"

// CacheDir returns the folder of models and data sets: PLUMBLINE_CACHE, or plumbline/ in the user's cache directory.
// env looks up a variable.
func CacheDir(env func(string) string) (string, error) {
	if dir := env(CacheVariable); dir != "" {
		return dir, nil
	}
	if dir := env("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "plumbline"), nil
	}
	if home := env("HOME"); home != "" {
		return filepath.Join(home, ".cache", "plumbline"), nil
	}
	return "", sdk.Usage(errors.New("no cache folder: set " + CacheVariable + " to a folder that can be written"))
}

// CachedModel returns a model's file as an entry of the cache. FetchedFiles of a part have their own folder, because
// their names may be the same.
func CachedModel(m sdk.ModelInfo, f sdk.ModelFile) fetch.File {
	return fetch.File{Name: path.Join("models", m.Name, f.Part, f.Name), URL: f.URL, SHA256: f.SHA256, Size: f.Size}
}

// CachedArchive returns one of a data set's files as an entry of the cache.
func CachedArchive(d sdk.DatasetInfo, a sdk.ArchiveFile) fetch.File {
	return fetch.File{
		Name: path.Join("datasets", d.Name, a.Name), URL: a.URL, SHA256: a.SHA256, Size: a.Size, Unpack: a.Unpack,
	}
}

// CachedFiles finds models' files in the cache for a plan.
type CachedFiles struct {
	Context context.Context
	Cache   *fetch.Cache
}

// Locate implements bench.Files.
func (f CachedFiles) Locate(m sdk.ModelInfo, file sdk.ModelFile) (string, error) {
	if file.URL == "" {
		return "", fmt.Errorf("%w: %s has no address: %s", fetch.ErrMissing, file.Name, file.Note)
	}
	item, err := f.Cache.Locate(f.Context, CachedModel(m, file))
	if errors.Is(err, fetch.ErrMissing) {
		return "", fmt.Errorf("%w; run `harness fetch %s`", err, m.Name)
	}
	return item.Path, err
}
