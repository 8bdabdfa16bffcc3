package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/discover"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/internal/flagtext"
)

// DatasetWork describes the execution of one of a model's DatasetActions: work of a plugin on a data set outside runs.
type DatasetWork struct {
	Plugins             Plugins
	Model, Action, Name string
	Input, Output       string   // paths; empty if the action does not use them
	Params              []string // key=value: parameters of the action
	// Progress, if not nil, receives lines that describe the progress of the work.
	Progress func(line string)
	// Running, if not nil, receives a function that ends the plugin immediately when the plugin is started, and nil when
	// it is closed.
	Running func(kill func())
}

// WorkOnDataset performs the work and returns the plugin's message. Output must not exist. It appears only when it is
// complete, and not if the work fails or ctx ends.
func WorkOnDataset(ctx context.Context, w DatasetWork) (done string, err error) {
	params, faults := flagtext.ParsePairs("--param", w.Params)
	if len(faults) > 0 {
		return "", sdk.Usage(errors.Join(faults...))
	}
	catalog, err := w.Plugins.Discover(ctx)
	if err != nil {
		return "", err
	}
	served, err := catalog.Resolve(w.Model)
	if err != nil {
		return "", err
	}
	r := sdk.DatasetRequest{
		Model: served.Model.Name, Action: w.Action, Name: w.Name, Input: w.Input, Output: w.Output, Params: params,
	}
	if r, err = r.Complete(served.Model); err != nil {
		return "", err
	}
	if r.Input, err = readablePath(r.Input); err != nil {
		return "", sdk.Data(err)
	}
	if r.Output == "" {
		return w.launchPlugin(ctx, served, r)
	}
	err = wholefile.WriteFolder(r.Output, func(dir string) (err error) {
		if r.Output, err = filepath.Abs(dir); err != nil {
			return err
		}
		done, err = w.launchPlugin(ctx, served, r)
		return err
	})
	if err != nil {
		return "", outputFault(w.Output, err)
	}
	return done, nil
}

// readablePath returns the absolute path of a readable input, because the plugin works in its own folder.
func readablePath(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	if _, err := os.Stat(path); err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// outputFault returns the fault of an output folder.
func outputFault(path string, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return exitcode.Mark(exitcode.Usage, fmt.Errorf("%s exists: name a folder that does not", path))
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		return exitcode.Mark(exitcode.Usage, err)
	}
	return err
}

// launchPlugin starts the plugin and performs the work. When it returns, all processes of the plugin have ended.
func (w DatasetWork) launchPlugin(ctx context.Context, s discover.Served, r sdk.DatasetRequest) (string, error) {
	pl, err := w.Plugins.Starter().Launch(ctx, s.Path, w.Plugins.Options(false))
	if err != nil {
		return "", err
	}
	defer pl.Close()
	if w.Running != nil {
		w.Running(pl.Kill)
		defer w.Running(nil)
	}
	progress := w.Progress
	if progress == nil {
		progress = func(string) {}
	}
	return pl.Dataset(ctx, r, progress)
}
