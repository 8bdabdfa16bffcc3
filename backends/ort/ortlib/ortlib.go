// Package ortlib finds a build of libonnxruntime among the files of a Go module. A machine thus needs only Go to obtain
// one: the go command downloads it, checks it against go.sum and caches it.
//
// In scope: Linux on amd64 and arm64, execution provider CPU. Out of scope: other platforms and providers, for which
// users name a library of their own; use at run time, since the package needs the go command.
package ortlib

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// Module and Version identify the module that contains the library: ONNX Runtime 1.28.2. go.mod requires the same
// version, so that go.sum covers it.
const (
	Module  = "github.com/k2-fsa/sherpa-onnx-go-linux"
	Version = "v1.13.8"
)

// ErrPlatform is wrapped by the error for a platform without a library.
var ErrPlatform = errors.New("no libonnxruntime for this platform")

// platformFolders maps platforms to the folders of their libraries in the module.
func platformFolders() map[string]string {
	return map[string]string{
		"linux/amd64": "x86_64-unknown-linux-gnu",
		"linux/arm64": "aarch64-unknown-linux-gnu",
	}
}

// FindLibrary returns the path of libonnxruntime.so for a platform, named as in GOOS and GOARCH. If the module is not
// in the module cache, it downloads it. The file belongs to the cache: copy it, do not change it.
func FindLibrary(ctx context.Context, goos, goarch string) (string, error) {
	folder, ok := platformFolders()[goos+"/"+goarch]
	if !ok {
		return "", fmt.Errorf("%w: module %s has none for %s/%s; install ONNX Runtime and name its library", ErrPlatform,
			Module, goos, goarch)
	}
	dir, err := downloadModule(ctx)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "lib", folder, "libonnxruntime.so")
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("module %s %s lacks libonnxruntime: %w", Module, Version, err)
	}
	return path, nil
}

// downloadModule returns the module's folder in the module cache. The go command lists a module that is not downloaded
// without a folder, but downloads a module that is requested by name.
func downloadModule(ctx context.Context) (string, error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", Module+"@"+Version)
	cmd.Stdout, cmd.Stderr = &out, &errs
	runErr := cmd.Run()
	var answer struct{ Dir, Error string }
	if err := json.Unmarshal(out.Bytes(), &answer); err == nil && answer.Dir != "" {
		return answer.Dir, nil
	}
	if answer.Error == "" {
		answer.Error = string(bytes.TrimSpace(errs.Bytes()))
	}
	return "", fmt.Errorf("download module %s %s: %s (%w)", Module, Version, answer.Error, errors.Join(runErr))
}

// CopyLibrary copies the library to dir, which it creates if necessary, and returns its path there. It renames the
// complete copy to its final name, so that a library that a running process has loaded from there stays intact.
func CopyLibrary(library, dir string) (path string, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	in, err := os.Open(library)
	if err != nil {
		return "", err
	}
	defer in.Close()
	out, err := os.CreateTemp(dir, ".libonnxruntime-*")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(out, in)
	err = errors.Join(err, out.Chmod(0o755), out.Close())
	path = filepath.Join(dir, filepath.Base(library))
	if err == nil {
		err = os.Rename(out.Name(), path)
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(out.Name()))
	}
	return path, nil
}
