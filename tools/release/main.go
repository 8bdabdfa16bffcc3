// Command release writes the modules of this checkout in the form in which others download them: go run ./tools/release
// -o dist/proxy v1.2.3
//
// Modules of the checkout find each other through replace lines, which an installed module may not contain. In a
// release each module requires the others at the release's version. The command writes all modules into a file-based
// module proxy for `GOPROXY=file://...,https://... go install`, and prints the tags. With -tag it commits the go.mod
// and go.sum files of the release outside of any branch, and tags every module on that commit.
//
// It reads the checkout and writes files below -o. With -tag it makes a commit and tags, but does not push them.
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
		if err := m.writeTo(out); err != nil {
			return fmt.Errorf("%s: %w", m.path, err)
		}
		fmt.Println(m.tag())
	}
	if !tag {
		return nil
	}
	return tagAll(modules)
}
