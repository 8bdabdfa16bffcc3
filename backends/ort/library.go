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

// ErrLibrary is wrapped by every error about libonnxruntime itself: not found, not loadable, or another version. Such
// errors also match backend.ErrFailed, because no model is at fault.
var ErrLibrary error = libraryError{}

type libraryError struct{}

func (libraryError) Error() string { return "ONNX Runtime's library" }

// Is makes errors.Is match backend.ErrFailed.
func (libraryError) Is(class error) bool { return class == backend.ErrFailed }

// LibraryName returns the file name of ONNX Runtime's library on this platform.
func LibraryName() string {
	if runtime.GOOS == "darwin" {
		return "libonnxruntime.dylib"
	}
	return "libonnxruntime.so"
}

// findLibrary returns the path of the library: the first non-empty path of named (option lib, Backend.Library), which
// is a file or the folder that contains it, or else the library in the binary's folder or in lib/ there.
func findLibrary(named ...string) (string, error) {
	for _, path := range named {
		if path != "" {
			return completePath(path)
		}
	}
	tried := libraryCandidates()
	for _, path := range tried {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%w was not found; looked for %s; name one with option lib", ErrLibrary,
		strings.Join(tried, ", "))
}

// completePath returns the path of the library in a folder, or the path of a file, and checks that the file exists.
func completePath(path string) (string, error) {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		path = filepath.Join(path, LibraryName())
		info, err = os.Stat(path)
	}
	if err == nil && !info.Mode().IsRegular() { // opening a pipe would block
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

func libraryCandidates() []string {
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
