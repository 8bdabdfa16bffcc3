// Package repository finds files that the submissions' repository refuses: files above 50 MiB, symbolic links, hidden
// files and folders, and names with blanks or characters that break lists of files and tables of results.
//
// Find checks one entry of a tree, and All checks the whole tree. Official returns the text of the official script.
//
// In scope: names, kinds and sizes. Out of scope: all other requirements on a tree (package check).
package repository

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// MaxFileSize is the maximum size of a file: 50 MiB.
const MaxFileSize = 50 << 20

// Kind is the kind of fault of a file or folder.
type Kind string

// The kinds of faults. Special is a device, a pipe or a socket. Character is a name with a quote, a line end or another
// control character, or a name that is not UTF-8. The official script does not report these two, nor a blank in the
// name of a folder only.
const (
	Large     Kind = "large"
	Link      Kind = "link"
	Hidden    Kind = "hidden"
	Blank     Kind = "blank"
	Character Kind = "character"
	Special   Kind = "special"
)

// Finding is a file or folder that a submission must not contain.
type Finding struct {
	tree.Entry
	Kind Kind
}

// Error states what was found, what is required and what to do.
func (f Finding) Error() string {
	switch f.Kind {
	case Large:
		return fmt.Sprintf("%s has %d bytes, want at most %d (50 MiB): leave it out, and say in the README where it is",
			f.Path, f.Size, MaxFileSize)
	case Link:
		return f.Path + " is a symbolic link: put the file itself there"
	case Hidden:
		return f.Path + " is hidden, its name begins with a dot: remove it"
	case Blank:
		return f.Path + " has a blank in its name: rename it"
	case Character:
		return fmt.Sprintf("%q has a quote, a control character or a byte that is not UTF-8 in its name: rename it", f.Path)
	}
	return f.Path + " is a device, a pipe or a socket: remove it"
}

// FindFaults returns the faults of an entry of a tree.
func FindFaults(e tree.Entry) (all []Finding) {
	for _, test := range []struct {
		kind  Kind
		found bool
	}{
		{Large, e.Size > MaxFileSize && !e.Link},
		{Link, e.Link},
		{Hidden, strings.HasPrefix(e.Name, ".")},
		{Blank, strings.Contains(e.Name, " ")},
		{Character, strings.ContainsFunc(e.Name, isUnwritable) || !utf8.ValidString(e.Name)},
		{Special, e.Irregular && !e.Link},
	} {
		if test.found {
			all = append(all, Finding{e, test.kind})
		}
	}
	return all
}

// isUnwritable reports whether a character breaks a list of files with one name per line, or the official table of
// results, which quotes names without escaping them.
func isUnwritable(r rune) bool { return r == '"' || unicode.IsControl(r) }

// FindAllFaults returns the faults of all entries of a tree. A folder's faults precede those of its content.
func FindAllFaults(t *tree.Tree) (all []Finding) {
	for e := range t.All {
		all = append(all, FindFaults(e)...)
	}
	return all
}

// OfficialText returns the output of the official script for the folder at root; empty: no faults. Its paths begin with
// root as given. They are in order of names, unlike the script's, which are in the order of the file system.
func OfficialText(root string) (text string, err error) {
	var found [6][]string // in the order of the text
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := pathBelow(root, path)
		groups, err := officialGroups(d)
		for _, g := range groups {
			found[g] = append(found[g], name)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	files := len(found[largeGroup]) + len(found[linkGroup]) + len(found[hiddenFileGroup]) + len(found[blankFileGroup])
	if files+len(found[hiddenFolderGroup]) == 0 {
		return "", nil // a blank in the name of a folder only is not reported
	}
	text = "ERRORS:"
	for i, title := range []string{
		"FILES GREATER THAN 50MB", "SYMBOLIC LINKS", "BAD FILE NAMES", "FILES CONTAINING SPACES", "BAD FOLDER NAMES",
		"FOLDER CONTAINING SPACES",
	} {
		if i > 0 {
			text += ";"
		}
		text += "\n" + title + ":\n" + strings.Join(found[i], "\n")
	}
	return text + "\n", nil
}

// The groups of the official text in its order.
const (
	largeGroup = iota
	linkGroup
	hiddenFileGroup
	blankFileGroup
	hiddenFolderGroup
	blankFolderGroup
)

func officialGroups(d fs.DirEntry) (groups []int, err error) {
	hidden, blank := strings.HasPrefix(d.Name(), "."), strings.Contains(d.Name(), " ")
	add := func(group int, is bool) {
		if is {
			groups = append(groups, group)
		}
	}
	switch {
	case d.IsDir():
		add(hiddenFolderGroup, hidden)
		add(blankFolderGroup, blank)
	case d.Type()&fs.ModeSymlink != 0:
		add(linkGroup, true)
	case d.Type().IsRegular():
		info, err := d.Info()
		if err != nil {
			return nil, err
		}
		add(largeGroup, info.Size() > MaxFileSize)
		add(hiddenFileGroup, hidden)
		add(blankFileGroup, blank)
	}
	return groups, nil
}

// pathBelow returns a path of a walk with the original beginning of root, because the walk cleans paths.
func pathBelow(root, path string) string {
	rel, err := filepath.Rel(root, path)
	if err != nil || rel == "." {
		return root
	}
	if !strings.HasSuffix(root, "/") {
		root += "/"
	}
	return root + filepath.ToSlash(rel)
}
