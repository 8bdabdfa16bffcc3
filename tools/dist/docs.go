package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"golang.org/x/mod/semver"

	"github.com/plumbline-ml/plumbline/tools/internal/modfiles"
)

// shipped lists the files of the checkout that an archive contains at the same path, as git's pathspecs: documents,
// examples, and the templates of `harness new`. It excludes the models and the code in the benchmarks' folders, which
// the plugins contain.
func shipped() []string {
	const glob = ":(glob)"
	return []string{
		glob + "*.md", "LICENSE", "CITATION.cff", "docs", "examples", glob + "sdk/proto/**/*.proto",
		glob + "plugins/*/manifest.json", glob + "plugins/*/model/*.json", glob + "plugins/*/model/*.md",
		glob + "plugins/*/model/*.png", glob + "plugins/*/model/*.py", glob + "plugins/*/model/*.txt", "plugins/model",
		"datasets/convert", "backends/openai/testdata/llamacpp.py", "tools/peers",
		":(exclude,glob)plugins/*/model/vocab*", ":(exclude,glob)plugins/*/model/merges.txt",
		":(exclude,glob)plugins/*/model/tokenizer.json",
	}
}

// placeDocs copies the shipped files of the checkout and writes the README of the archive.
func (d *dist) placeDocs(dir, arch string) error {
	listed, err := commandOutput(append([]string{"git", "ls-files", "-z", "--"}, shipped()...)...)
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(listed, "\x00"), "\x00") {
		if err := d.copyDoc(dir, name); err != nil {
			return err
		}
	}
	n, err := needsOf(dir)
	if err != nil {
		return err
	}
	text, err := d.readme(arch, n.versions.newest("GLIBC"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "README.md"), text, 0o644)
}

// copyDoc copies a file to the same path below dir. In the go.mod of an example, it requires the modules of the
// release.
func (d *dist) copyDoc(dir, name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(name)
	if err == nil && filepath.Base(name) == "go.mod" && semver.IsValid(d.version) {
		text, _, err = modfiles.Release(text, d.version)
	}
	to := filepath.Join(dir, filepath.FromSlash(name))
	return errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, info.Mode().Perm()))
}

//go:embed readme.md.tmpl
var readmeText string

// readme returns the README for users of the binaries, which require a version of glibc (empty: unknown). It copies
// common sections from the README of the checkout.
func (d *dist) readme(arch, glibc string) ([]byte, error) {
	whole, err := os.ReadFile("README.md")
	if err != nil {
		return nil, err
	}
	var faults []error
	section := func(title string) string {
		_, rest, found := strings.Cut(string(whole), "\n## "+title+"\n")
		if !found {
			faults = append(faults, fmt.Errorf("README.md has no section %q", title))
		}
		text, _, _ := strings.Cut(rest, "\n## ")
		return "## " + title + "\n" + strings.TrimRight(text, "\n") + "\n"
	}
	t, err := template.New("readme").Funcs(template.FuncMap{"section": section}).Parse(readmeText)
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	err = t.Execute(&text, map[string]any{
		"Version": d.version, "Arch": arch, "Glibc": glibc, "Release": semver.IsValid(d.version),
	})
	return []byte(text.String()), errors.Join(append(faults, err)...)
}
