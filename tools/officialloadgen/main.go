// Command officialloadgen builds a library of the official LoadGen from the user's source tree. The harness drives
// tests with it (bin/harness-official, --loadgen official). The tree is not changed.
//
//	go run ./tools/officialloadgen -o bin DIR
//
// DIR is a checkout of the official repository, its folder loadgen/, or the unpacked source package.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	out := flag.String("o", "bin", "the `FOLDER` for the library")
	shim := flag.String("shim", "loadgen/official/shim", "the `FOLDER` of our own interface in C++")
	null := flag.Bool("null", false, "make the program official-null instead: the LoadGen with a SUT in C++")
	flag.Parse()
	p := library
	if *null {
		p = standalone
	}
	if err := run(p, *out, *shim, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "officialloadgen:", err)
		os.Exit(1)
	}
}

func run(p product, out, shim string, args []string) error {
	if len(args) != 1 || args[0] == "" {
		return fmt.Errorf("want one argument, the official LoadGen's sources: make official-loadgen LOADGEN=DIR, where DIR " +
			"is a checkout of its repository, the folder loadgen/ of one, or the unpacked source package")
	}
	t, err := readTree(args[0])
	if err != nil {
		return err
	}
	path, err := t.compile(p, out, shim)
	if err != nil {
		return err
	}
	fmt.Printf("%s: official LoadGen %s, sha256 %s\n", path, t.build.Version, t.build.SHA256)
	if t.build.Unmodified() {
		fmt.Printf("source unmodified: yes (%s)\n", t.build.Release)
	} else {
		fmt.Println("source unmodified: no known release has this checksum; results stay rehearsals")
	}
	return nil
}
