package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// AssetFile is a file that a benchmark needs in addition to its model, such as a vocabulary. A parameter gives its
// location: a path, or Embedded for the one inside the plugin. An empty parameter means the file next to the data set,
// or the embedded file if the data set is embedded too.
type AssetFile struct {
	Param    string   // what a path must name, for errors: "a vocab.txt"
	Name     string   // what the file is: "vocabulary"
	Want     string   // the file that a path has to name: "a vocab.txt"
	Embedded string   // its name in the folder of embedded files
	Beside   []string // its possible paths in the folder of the data set, or of its file, with slashes
	MaxBytes int64    // larger files cause an error
}

// ReadAsset reads the file given by a's parameter. An error becomes a fault of class sdk.ErrData, and ok is false.
func (r *Request) ReadAsset(a AssetFile) (data []byte, ok bool) {
	data, err := a.readAsset(r.manifest.files, r.Dataset, r.Params.Text(a.Param))
	r.AddFault(sdk.Data(err))
	return data, err == nil
}

func (a AssetFile) readAsset(embedded fs.FS, dataset, value string) ([]byte, error) {
	if value == Embedded || value == "" && dataset == "" {
		return fs.ReadFile(embedded, a.Embedded)
	}
	if value != "" {
		text, err := backend.ReadFile(value, a.MaxBytes)
		if err != nil {
			return nil, fmt.Errorf("%s: %w; want the path of %s, or %q", a.Name, err, a.Want, Embedded)
		}
		return text, nil
	}
	dir := dataset
	if info, err := os.Stat(dataset); err != nil || !info.IsDir() {
		dir = filepath.Dir(dataset)
	}
	places := make([]string, len(a.Beside))
	for i, place := range a.Beside {
		places[i] = filepath.Join(dir, filepath.FromSlash(place))
		text, err := backend.ReadFile(places[i], a.MaxBytes)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return text, err
		}
	}
	return nil, fmt.Errorf("no %s beside the data set: looked for %q; name it with parameter %s: %w", a.Name, places,
		a.Param, fs.ErrNotExist)
}
