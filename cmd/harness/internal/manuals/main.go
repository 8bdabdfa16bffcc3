// Command manuals writes the harness's manual pages and completions: go run ./cmd/harness/internal/manuals -o DIR
//
// The input is the command tree. The output is DIR/man/man1/*.1, DIR/completions/harness.bash, harness.zsh and
// harness.fish.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli"
)

func main() {
	dir := flag.String("o", "share", "the folder to write to")
	version := flag.String("version", "devel", "the version that the pages name")
	seconds := flag.Int64("date", 0, "the pages' date, in seconds since 1970")
	flag.Parse()
	if err := writeManuals(*dir, *version, time.Unix(*seconds, 0).UTC()); err != nil {
		fmt.Fprintln(os.Stderr, "manuals:", err)
		os.Exit(1)
	}
}

func writeManuals(dir, version string, date time.Time) error {
	root := cli.CommandTree()
	pages, completions := filepath.Join(dir, "man", "man1"), filepath.Join(dir, "completions")
	if err := errors.Join(os.MkdirAll(pages, 0o755), os.MkdirAll(completions, 0o755)); err != nil {
		return err
	}
	return errors.Join(writePages(root, manualWriter{version, date}, pages), writeCompletions(root, completions))
}

// writePages writes the pages of a command and of all its subcommands.
func writePages(c *cobra.Command, p manualWriter, dir string) error {
	var b bytes.Buffer
	if err := p.writePage(&b, c); err != nil {
		return err
	}
	faults := []error{os.WriteFile(filepath.Join(dir, pageName(c)+".1"), b.Bytes(), 0o644)}
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			faults = append(faults, writePages(below, p, dir))
		}
	}
	return errors.Join(faults...)
}

func writeCompletions(root *cobra.Command, dir string) error {
	return errors.Join(
		root.GenBashCompletionFileV2(filepath.Join(dir, "harness.bash"), true),
		root.GenZshCompletionFile(filepath.Join(dir, "harness.zsh")),
		root.GenFishCompletionFile(filepath.Join(dir, "harness.fish"), true),
	)
}
