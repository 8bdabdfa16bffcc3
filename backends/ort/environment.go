package ort

import (
	"errors"
	"fmt"
	"sync"

	onnxruntime "github.com/yalue/onnxruntime_go"
)

// ortEnvironment is the state of ONNX Runtime in this process.
type ortEnvironment struct {
	mu  sync.Mutex
	lib library // its path is empty until it is loaded
}

// process is the only environment, because the C library has global state and the binding cannot be started twice. It
// exists until the process ends.
var process ortEnvironment

// startRuntime loads the library at path and starts ONNX Runtime. If it is already running, it checks that it was
// loaded from the same path.
func (e *ortEnvironment) startRuntime(path string) (library, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.lib.path != "" {
		if e.lib.path != path {
			return library{}, fmt.Errorf("%w %s is already loaded in this process, which cannot load %s as well",
				ErrLibrary, e.lib.path, path)
		}
		return e.lib, nil
	}
	lib, err := probeLibrary(path)
	if err != nil {
		return library{}, err
	}
	onnxruntime.SetSharedLibraryPath(path)
	// Calls return faults as errors; a log would only repeat them on stderr.
	if err := onnxruntime.InitializeEnvironment(onnxruntime.WithLogLevelFatal()); err != nil {
		return library{}, fmt.Errorf("%w %s: %w", ErrLibrary, path, err)
	}
	if err := onnxruntime.DisableTelemetry(); err != nil {
		return library{}, errors.Join(fmt.Errorf("%w %s: %w", ErrLibrary, path, err), onnxruntime.DestroyEnvironment())
	}
	e.lib = lib
	return e.lib, nil
}

// loadedLibrary returns the library of the running environment.
func (e *ortEnvironment) loadedLibrary() (library, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.lib, e.lib.path != ""
}
