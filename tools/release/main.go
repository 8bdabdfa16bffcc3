// Command release writes the modules of this checkout as others get them: go run ./tools/release -o dist/proxy v1.2.3
//
// Modules of the checkout find each other by replace lines; a module that is installed by its path may not have any. In
// a release each requires the others at the release's own version. The command writes all of them into a module proxy
// of files, from which `GOPROXY=file://...,https://... go install` takes them, and prints the tags. With -tag it
// commits the go.mod and go.sum files of the release, on no branch, and tags every module on that commit.
//
// In: the checkout. Out: files below -o; with -tag a commit and tags, not pushed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"golang.org/x/mod/semver"
)

func main() {
	out := flag.String("o", "dist/proxy", "the folder of the proxy, which is made anew")
	tag := flag.Bool("tag", false, "commit and tag, too")
	flag.Parse()
	if err := release(flag.Args(), *out, *tag); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func release(args []string, out string, tag bool) error {
	if len(args) != 1 || !semver.IsValid(args[0]) || semver.Canonical(args[0]) != args[0] {
		return fmt.Errorf("%q: want one version such as v1.2.3", args)
	}
	if major := semver.Major(args[0]); major != "v0" && major != "v1" {
		return fmt.Errorf("%s: from v2 on the modules' paths end in /%s", args[0], major)
	}
	modules, err := readModules(args[0])
	if err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(out), os.MkdirAll(out, 0o755)); err != nil {
		return err
	}
	for _, m := range modules {
		if err := m.write(out); err != nil {
			return fmt.Errorf("%s: %w", m.path, err)
		}
		fmt.Println(m.tag())
	}
	if !tag {
		return nil
	}
	return tagAll(modules)
}
