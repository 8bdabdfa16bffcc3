// Command golden packs the golden cases, the outputs of official programs for prepared inputs, into one file of the
// project, cases.tar.gz in its folder. The tests unpack it below bin/golden/. Run it in tools/:
//
//	go run ./golden FOLDER
//
// FOLDER contains the cases. README.md names the program that made each part, and the omitted parts. Packing the same
// folder again yields the same bytes.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// output is the path of the packed file in this module.
var output = filepath.Join("golden", "cases.tar.gz")

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: golden FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "golden:", err)
		os.Exit(1)
	}
}

func run(folder string) error {
	names, err := listFiles(os.DirFS(folder))
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(output), "part-")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	if err := errors.Join(pack(file, os.DirFS(folder), names), file.Chmod(0o644), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), output)
}
