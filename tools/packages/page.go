package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const pageHead = `# Go packages

The public packages and the commands, by folder, except the mains of the plugins. Each line is the first clause of the
package comment.
` + "`go doc ./FOLDER`" + ` prints the whole comment.
Internal packages have one too; ` + "`go list ./...`" + ` names them.
` + "`go run ./tools/packages`" + ` generates this page: change the comments, not the page.
[ARCHITECTURE](../ARCHITECTURE.md) explains how the folders work together. The
[index](index.md) lists the other pages.
`

// writePage returns the page of the checkout at top. It fails if a package has no comment.
func writePage(top string) (string, error) {
	synopses, err := readSynopses(top)
	if err != nil {
		return "", err
	}
	folders := make([]string, 0, len(synopses))
	for folder := range synopses {
		folders = append(folders, folder)
	}
	slices.Sort(folders)
	var page strings.Builder
	page.WriteString(pageHead)
	section := ""
	for _, folder := range folders {
		if name, _, _ := strings.Cut(folder, "/"); name != section {
			section = name
			fmt.Fprintf(&page, "\n## %s\n\n", section)
		}
		page.WriteString(wrapLine("- `"+folder+"` "+synopses[folder]+".") + "\n")
	}
	return page.String(), nil
}

// readSynopses returns the first clause of the comment of every listed package of the checkout, by folder. Every
// package, listed or not, must have a comment. Folders with only tests are not packages. It skips build output and
// testdata.
func readSynopses(top string) (map[string]string, error) {
	synopses := map[string]string{}
	var faults []error
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		folder, err := filepath.Rel(top, path)
		if err != nil {
			return err
		}
		folder = filepath.ToSlash(folder)
		if skipFolder(folder) {
			return fs.SkipDir
		}
		comment, hasCode, err := readComment(path)
		switch {
		case err != nil:
			return err
		case hasCode && comment == "":
			faults = append(faults, fmt.Errorf("%s has no package comment", folder))
		case hasCode && !strings.Contains("/"+folder+"/", "/internal/"):
			synopses[folder] = shorten(comment)
		}
		return nil
	})
	return synopses, errors.Join(append(faults, err)...)
}

func skipFolder(folder string) bool {
	if folder == "." {
		return false
	}
	base := filepath.Base(folder)
	return base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "plumbline-plugin-") ||
		slices.Contains([]string{"bin", "out", "dist"}, folder)
}

// readComment returns the package comment of a folder, from whichever file contains it. hasCode reports whether the
// folder contains Go files other than tests and generated ones.
func readComment(dir string) (comment string, hasCode bool, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", false, err
	}
	for _, entry := range entries {
		name := entry.Name()
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return "", false, err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return "", false, err
		}
		if ast.IsGenerated(file) {
			continue
		}
		hasCode = true
		if text := file.Doc.Text(); comment == "" && strings.TrimSpace(text) != "" {
			comment = text
		}
	}
	return comment, hasCode, nil
}

// opening matches the beginning of every package comment.
var opening = regexp.MustCompile(`^(Package|Command) [\w-]+ `)

// clauseEnd matches the places at which a sentence may be cut.
var clauseEnd = regexp.MustCompile(`[,;:]? \(|[;:] |, (?:as|by|equal|for|so that|where|which|with) `)

// maxText is the length, in bytes, above which a sentence is cut at the end of a clause.
const maxText = 60

// maxColumns is the width of a line of the page.
const maxColumns = 120

// wrapLine breaks a line of a list into lines of maxColumns or fewer.
func wrapLine(line string) string {
	var lines []string
	for len(line) > maxColumns {
		at := strings.LastIndex(line[:maxColumns+1], " ")
		lines = append(lines, line[:at])
		line = "  " + line[at+1:]
	}
	return strings.Join(append(lines, line), "\n")
}

// shorten returns the first sentence of a package comment without its opening words and its final punctuation. It cuts
// a sentence above maxText at the end of its last clause within maxText, or else of its first clause.
func shorten(comment string) string {
	var p doc.Package
	text := strings.TrimRight(opening.ReplaceAllString(p.Synopsis(comment), ""), ".:")
	if len(text) <= maxText {
		return text
	}
	end := len(text)
	for _, at := range clauseEnd.FindAllStringIndex(text, -1) {
		if at[0] > maxText && end < len(text) {
			break
		}
		end = at[0]
	}
	text = text[:end]
	if open := strings.LastIndex(text, " ("); open >= 0 && !strings.Contains(text[open:], ")") {
		text = text[:open]
	}
	return text
}
