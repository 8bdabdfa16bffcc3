package ort

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// ErrLibrary is in the chain of every error about libonnxruntime itself: not found, not loadable, of another version.
// So is backend.ErrFailed: no model is at fault.
var ErrLibrary error = libraryError{}

type libraryError struct{}

func (libraryError) Error() string { return "ONNX Runtime's library" }

// Is makes errors.Is find the class of the error.
func (libraryError) Is(class error) bool { return class == backend.ErrFailed }

// LibraryName is the file name of ONNX Runtime's library on this platform.
func LibraryName() string {
	if runtime.GOOS == "darwin" {
		return "libonnxruntime.dylib"
	}
	return "libonnxruntime.so"
}

// findLibrary returns the path of the library: the first that is set of named (option lib, then Backend.Library), a
// file or the folder that holds it; else the one beside the binary or in lib/ beside it.
func findLibrary(named ...string) (string, error) {
	for _, path := range named {
		if path != "" {
			return inFolder(path)
		}
	}
	tried := besideBinary()
	for _, path := range tried {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%w was not found; looked for %s; name one with option lib", ErrLibrary,
		strings.Join(tried, ", "))
}

// inFolder completes a folder to the library in it, and checks that the file is there.
func inFolder(path string) (string, error) {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		path = filepath.Join(path, LibraryName())
		info, err = os.Stat(path)
	}
	if err == nil && !info.Mode().IsRegular() { // a pipe would be waited for
		return "", fmt.Errorf("%w: %s is not a regular file; option lib names %s or the folder that holds it", ErrLibrary,
			path, LibraryName())
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%w: no file %s; option lib names %s or the folder that holds it", ErrLibrary,
			path, LibraryName())
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrLibrary, err)
	}
	return filepath.Abs(path)
}

func besideBinary() []string {
	exe, err := os.Executable()
	if err != nil {
		return nil
	}
	if real, err := filepath.EvalSymlinks(exe); err == nil {
		exe = real
	}
	dir := filepath.Dir(exe)
	return []string{filepath.Join(dir, LibraryName()), filepath.Join(dir, "lib", LibraryName())}
}
