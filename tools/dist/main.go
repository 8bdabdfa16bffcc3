// Command dist makes the packages of a release: go run ./tools/dist -version v1.2.3 -o dist
//
// For each Linux architecture it makes a folder with the harness, the plugins, ONNX Runtime, the documents and
// examples, all licences, a bill of materials (CycloneDX), manual pages and completions. The folder is packed as
// plumbline-VERSION-linux-ARCH.tar.gz and .tar.zst, .deb, .rpm and Python wheels; -root.tar.gz contains the additional
// files of a container, for Containerfile. One file contains all checksums. The same commit yields the same bytes with
// the same Go and C compilers.
//
// It reads the checkout and replaces the files in the folder of -o.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	var d dist
	flag.StringVar(&d.version, "version", "", "the version, such as v1.2.3 (default: devel- and the commit)")
	flag.StringVar(&d.out, "o", "dist", "the folder of the archives, which is made anew")
	flag.StringVar(&d.ort, "ort", "",
		"the package that ONNX Runtime is taken from, such as a wheel (default: the Go module)")
	arches := flag.String("arch", "amd64,arm64", "the architectures")
	flag.Parse()
	if err := d.makeAll(strings.Split(*arches, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

// dist makes the archives of one version.
type dist struct {
	version, out string
	ort          string    // package that contains ONNX Runtime; empty: use the Go module
	date         time.Time // date of the commit, used as the time of all files
}

func (d *dist) makeAll(arches []string) error {
	if err := d.readCommit(); err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(d.out), os.MkdirAll(d.out, 0o755)); err != nil {
		return err
	}
	recipe := filepath.Join(d.out, "Containerfile")
	text, err := os.ReadFile(filepath.Join("tools", "dist", "Containerfile"))
	if err := errors.Join(err, os.WriteFile(recipe, text, 0o644)); err != nil {
		return err
	}
	archives := []string{recipe}
	for _, arch := range arches {
		compiler, err := compilerFor(arch)
		if err != nil {
			return err
		}
		made, err := d.makeFor(platform{arch, compiler})
		if err != nil {
			return fmt.Errorf("%s: %w", arch, err)
		}
		fmt.Println(strings.Join(made, "\n"))
		archives = append(archives, made...)
	}
	return writeSums(filepath.Join(d.out, "SHA256SUMS"), archives)
}

// readCommit reads the date and the version from the checkout if they are not given.
func (d *dist) readCommit() error {
	text, err := commandOutput("git", "log", "-1", "--format=%ct %h")
	if err != nil {
		return fmt.Errorf("dist is made in a git checkout: %w", err)
	}
	var seconds int64
	var commit string
	if _, err := fmt.Sscan(text, &seconds, &commit); err != nil {
		return fmt.Errorf("git log: %w", err)
	}
	d.date = time.Unix(seconds, 0).UTC()
	if d.version == "" {
		d.version = "devel-" + commit
	}
	return nil
}

// makeFor builds everything for a platform into a folder and packs it. It returns the paths of the files.
func (d *dist) makeFor(p platform) (made []string, err error) {
	name := fmt.Sprintf("plumbline-%s-linux-%s", d.version, p.arch)
	dir := filepath.Join(d.out, name)
	defer os.RemoveAll(dir)
	if err := d.build(p, dir); err != nil {
		return nil, err
	}
	modules, err := modulesOf(dir)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(writeLicences(dir, modules), d.writeBill(dir, name, modules)); err != nil {
		return nil, err
	}
	for _, archive := range []string{dir + ".tar.gz", dir + ".tar.zst"} {
		if err := pack(archive, d.out, name, d.date); err != nil {
			return nil, err
		}
		made = append(made, archive)
	}
	packages, err := d.systemPackages(p, dir)
	if err != nil {
		return nil, err
	}
	wheels, err := d.wheels(p, dir)
	if err != nil {
		return nil, err
	}
	root, err := d.writeRoot(p, name, dir)
	return append(slices.Concat(made, packages, wheels), root), err
}
