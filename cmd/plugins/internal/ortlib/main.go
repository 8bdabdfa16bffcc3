// Command ortlib copies libonnxruntime to the folder of the plugin binaries: go run ./cmd/plugins/internal/ortlib -o
// bin/plugins
//
// On a platform without a library in the module, the command reports this and succeeds, since the binaries also work
// with the user's own library.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"

	"github.com/plumbline-ml/plumbline/backends/ort/ortlib"
)

func main() {
	dir := flag.String("o", "bin/plugins", "the folder of the plugin binaries")
	goos := flag.String("os", runtime.GOOS, "the platform's GOOS")
	goarch := flag.String("arch", runtime.GOARCH, "the platform's GOARCH")
	flag.Parse()
	if err := placeLibrary(*dir, *goos, *goarch); err != nil {
		fmt.Fprintln(os.Stderr, "ortlib:", err)
		os.Exit(1)
	}
}

func placeLibrary(dir, goos, goarch string) error {
	library, err := ortlib.FindLibrary(context.Background(), goos, goarch)
	if errors.Is(err, ortlib.ErrPlatform) {
		fmt.Fprintln(os.Stderr, "ortlib:", err)
		return nil
	}
	if err != nil {
		return err
	}
	path, err := ortlib.CopyLibrary(library, dir)
	if err == nil {
		fmt.Println(path)
	}
	return err
}
