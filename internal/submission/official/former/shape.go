package former

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// maxFile is the maximum size in bytes of a submission's file.
const maxFile = 50 << 20

// treeShape contains files that a submitter must not have, in the order of the checks. Only the first failing check is
// reported.
type treeShape struct {
	links, broken, large, hidden, blanks, caches, empty []string

	brokenErr error // error of a link without a target
}

// checkShape checks all of a submitter's files and folders. It returns false if the checker refuses the submitter.
func (c *formerChecker) checkShape(p tree.Place) bool {
	s := &treeShape{}
	key := p.Folder()
	if err := c.walkFolder(key, s); err != nil {
		c.addCrash(key, err)
		return false
	}
	if c.book.RefusesLinks {
		s.broken = s.links
	}
	for i, check := range []struct {
		what  string
		found []string
	}{
		{"links", s.broken}, {"files of more than 50 MB", s.large}, {"names that begin with a point", s.hidden},
		{"names with blanks", s.blanks}, {"folders __pycache__", s.caches}, {"empty folders", s.empty},
	} {
		if len(check.found) > 0 {
			c.refusePath(key, groupTree, "the submitter's folder has %s: %s", check.what, firstNames(check.found))
			return false
		}
		if i == 0 && s.brokenErr != nil { // the next check reads the sizes of all files
			c.addCrash(key, s.brokenErr)
			return false
		}
	}
	return true
}

// maxNamed is the maximum number of files named in a fault.
const maxNamed = 3

func firstNames(names []string) string {
	if len(names) > maxNamed {
		return strings.Join(names[:maxNamed], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}

// walk collects the files below a folder without following links to folders.
func (c *formerChecker) walkFolder(dir string, s *treeShape) error {
	entries, err := fs.ReadDir(c.files.Root.FS(), dir)
	if err != nil {
		return err
	}
	name := path.Base(dir)
	s.checkName(name, dir)
	if strings.HasSuffix(name, "__pycache__") {
		s.caches = append(s.caches, dir)
	}
	if len(entries) == 0 {
		s.empty = append(s.empty, dir)
	}
	for _, e := range entries {
		file := path.Join(dir, e.Name())
		if e.IsDir() {
			if err := c.walkFolder(file, s); err != nil {
				return err
			}
			continue
		}
		c.checkFile(file, e, s)
	}
	return nil
}

func (s *treeShape) checkName(name, at string) {
	if strings.HasPrefix(name, ".") {
		s.hidden = append(s.hidden, at)
	}
	if strings.Contains(name, " ") {
		s.blanks = append(s.blanks, at)
	}
}

// file checks a file or a link. It ignores links to folders.
func (c *formerChecker) checkFile(name string, e fs.DirEntry, s *treeShape) {
	link := e.Type()&fs.ModeSymlink != 0
	info, err := c.files.Root.Stat(filepath.FromSlash(name))
	if link {
		if err == nil && info.IsDir() {
			return
		}
		s.links = append(s.links, name)
		if c.isBroken(name) {
			s.broken = append(s.broken, name)
		}
	}
	s.checkName(e.Name(), name)
	switch {
	case err != nil:
		s.brokenErr = err
	case info.Size() > maxFile:
		s.large = append(s.large, name)
	}
}

// isBroken reports whether the checker considers a link broken. The checker resolves the target from the top of the
// tree instead of the link's folder.
func (c *formerChecker) isBroken(name string) bool {
	target, err := c.files.Root.Readlink(filepath.FromSlash(name))
	if err != nil {
		return true
	}
	if filepath.IsAbs(target) {
		_, err = os.Stat(target)
	} else {
		_, err = c.files.Root.Stat(target)
	}
	return err != nil
}
