package shell

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/plumbline-ml/plumbline/loadgen/official"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench"
)

// OfficialName is the harness built with the official LoadGen, in the same folder as this one.
const OfficialName = "harness-official"

// useOfficialLoadGen completes a request for the official LoadGen. If this harness does not support it, the one that
// does replaces this process, with the same arguments.
func (a *App) useOfficialLoadGen(r *bench.Request) error {
	if r.Rules.LoadGen != bench.LoadGenOfficial {
		return nil
	}
	dir := filepath.Dir(a.Executable)
	if official.BuiltIn {
		r.Rules.OfficialLoadGen = filepath.Join(dir, official.FileName)
		return nil
	}
	path := filepath.Join(dir, OfficialName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return sdk.Usage(fmt.Errorf("--loadgen %s: there is no %s: build it with `make official-loadgen LOADGEN=DIR`, where "+
			"DIR is a checkout of the official repository, its folder loadgen/, or the unpacked source package",
			r.Rules.LoadGen, path))
	}
	if err := a.Exec(path, append([]string{path}, a.Args...)); err != nil {
		return fmt.Errorf("--loadgen %s: starting %s on %s: %w", r.Rules.LoadGen, path, runtime.GOOS, err)
	}
	return nil
}
