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

// shape contains files that a submitter must not have, in the order of the checks. Only the first failing check is
// reported.
type shape struct {
	links, broken, large, hidden, blanks, caches, empty []string

	nowhere error // error of a link without a target
}

// shape checks all of a submitter's files and folders. It returns false if the checker refuses the submitter.
func (c *judge) shape(p tree.Place) bool {
	s := &shape{}
	key := p.Folder()
	if err := c.walk(key, s); err != nil {
		c.crash(key, err)
		return false
	}
	if c.book.AllLinks {
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
			c.refuse(key, groupTree, "the submitter's folder has %s: %s", check.what, first(check.found))
			return false
		}
		if i == 0 && s.nowhere != nil { // the next check reads the sizes of all files
			c.crash(key, s.nowhere)
			return false
		}
	}
	return true
}

// maxNamed is the maximum number of files named in a fault.
const maxNamed = 3

func first(names []string) string {
	if len(names) > maxNamed {
		return strings.Join(names[:maxNamed], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}

// walk collects the files below a folder without following links to folders.
func (c *judge) walk(dir string, s *shape) error {
	entries, err := fs.ReadDir(c.files.Root.FS(), dir)
	if err != nil {
		return err
	}
	name := path.Base(dir)
	s.name(name, dir)
	if strings.HasSuffix(name, "__pycache__") {
		s.caches = append(s.caches, dir)
	}
	if len(entries) == 0 {
		s.empty = append(s.empty, dir)
	}
	for _, e := range entries {
		file := path.Join(dir, e.Name())
		if e.IsDir() {
			if err := c.walk(file, s); err != nil {
				return err
			}
			continue
		}
		c.file(file, e, s)
	}
	return nil
}

func (s *shape) name(name, at string) {
	if strings.HasPrefix(name, ".") {
		s.hidden = append(s.hidden, at)
	}
	if strings.Contains(name, " ") {
		s.blanks = append(s.blanks, at)
	}
}

// file checks a file or a link. It ignores links to folders.
func (c *judge) file(name string, e fs.DirEntry, s *shape) {
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
	s.name(e.Name(), name)
	switch {
	case err != nil:
		s.nowhere = err
	case info.Size() > maxFile:
		s.large = append(s.large, name)
	}
}

// isBroken reports whether the checker considers a link broken. The checker resolves the target from the top of the
// tree instead of the link's folder.
func (c *judge) isBroken(name string) bool {
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
