package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/fetch"
	"github.com/plumbline-ml/plumbline/internal/onnxlib"
)

// libraryName is the file name of the library that plugins look for in their folder.
const libraryName = "libonnxruntime.so"

// placeRuntime copies ONNX Runtime's library to the folder of the plugins, from the Go module or from a package.
func (d *dist) placeRuntime(p platform, plugins string) error {
	if d.ort == "" {
		return runLocal("go", "run", "./cmd/plugins/internal/ortlib", "-o", plugins, "-os", "linux", "-arch", p.arch)
	}
	dir, err := os.MkdirTemp("", "plumbline-dist-")
	if err != nil {
		return err
	}
	err = runtimeOf(d.ort, dir, plugins, p.arch)
	return errors.Join(err, os.RemoveAll(dir))
}

// runtimeOf unpacks a package into an empty folder and copies the library for an architecture, with its providers.
func runtimeOf(archive, dir, plugins, arch string) error {
	unpacked := filepath.Join(dir, "package")
	if err := fetch.Unpack(context.Background(), archive, unpacked, fetch.Limits{}); err != nil {
		return fmt.Errorf("-ort %s: want a package that holds ONNX Runtime (a wheel, a jar, a NuGet or npm package, an "+
			"archive of the project's): %w", archive, err)
	}
	library, err := onnxlib.FindLibrary(unpacked, "linux", arch)
	if err != nil {
		return fmt.Errorf("-ort %s: %w", archive, err)
	}
	if err := onnxlib.CopyLibrary(library.Path, plugins); err != nil {
		return err
	}
	fmt.Printf("ONNX Runtime %s (%s) of %s\n", library.Release, library.Variant, archive)
	return os.Rename(filepath.Join(plugins, filepath.Base(library.Path)), filepath.Join(plugins, libraryName))
}
