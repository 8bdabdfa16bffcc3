// Command manuals writes the harness's manual pages and completions: go run ./cmd/harness/internal/manuals -o DIR
//
// In: the command tree. Out: DIR/man/man1/*.1, DIR/completions/harness.bash, harness.zsh and harness.fish.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli"
)

func main() {
	dir := flag.String("o", "share", "the folder to write to")
	version := flag.String("version", "devel", "the version that the pages name")
	seconds := flag.Int64("date", 0, "the pages' date, in seconds since 1970")
	flag.Parse()
	if err := write(*dir, *version, time.Unix(*seconds, 0).UTC()); err != nil {
		fmt.Fprintln(os.Stderr, "manuals:", err)
		os.Exit(1)
	}
}

func write(dir, version string, date time.Time) error {
	root := cli.Tree()
	root.DisableAutoGenTag = true
	pages, completions := filepath.Join(dir, "man", "man1"), filepath.Join(dir, "completions")
	if err := errors.Join(os.MkdirAll(pages, 0o755), os.MkdirAll(completions, 0o755)); err != nil {
		return err
	}
	header := &doc.GenManHeader{Section: "1", Source: "Plumbline " + version, Manual: "Plumbline", Date: &date}
	return errors.Join(doc.GenManTree(root, header, pages), writeCompletions(root, completions))
}

func writeCompletions(root *cobra.Command, dir string) error {
	return errors.Join(
		root.GenBashCompletionFileV2(filepath.Join(dir, "harness.bash"), true),
		root.GenZshCompletionFile(filepath.Join(dir, "harness.zsh")),
		root.GenFishCompletionFile(filepath.Join(dir, "harness.fish"), true),
	)
}
