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

// CacheVariable is the environment variable that names the folder of package fetch.
const CacheVariable = "PLUMBLINE_CACHE"

// CacheDir chooses the folder of models and data sets: PLUMBLINE_CACHE, else plumbline/ in the user's cache
// directory. env looks a variable up.
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

// CachedModel is a model's file as the cache keeps it: those of a part in a folder of the part's, for
// their names may be alike.
func CachedModel(m sdk.ModelInfo, f sdk.ModelFile) fetch.File {
	return fetch.File{Name: path.Join("models", m.Name, f.Part, f.Name), URL: f.URL, SHA256: f.SHA256, Size: f.Size}
}

// CachedArchive is one of a data set's files as the cache keeps it.
func CachedArchive(d sdk.DatasetInfo, a sdk.ArchiveFile) fetch.File {
	return fetch.File{
		Name: path.Join("datasets", d.Name, a.Name), URL: a.URL, SHA256: a.SHA256, Size: a.Size, Unpack: a.Unpack,
	}
}

// CachedFiles finds models' files in the folder for a plan.
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
