package treeops

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// fileOps contains the changes of whole files and folders.
var fileOps = map[string]func(dir string, op Op) error{
	"delete":    deletePaths,
	"write":     write,
	"move":      move,
	"copy":      copyPath,
	"mkdir":     func(dir string, op Op) error { return os.MkdirAll(filepath.Join(dir, op.Path), 0o755) },
	"symlink":   symlink,
	"fill":      fill,
	"text-fill": textFill,
	"acc-make":  accMake,
}

func deletePaths(dir string, op Op) error {
	paths, err := match(dir, op.Path)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	return nil
}

func write(dir string, op Op) error {
	content := op.Base64
	if op.Text != nil {
		content = []byte(*op.Text)
	}
	return writeFile(filepath.Join(dir, op.Path), content)
}

// writeFile replaces a path by a new file, so that other trees keep the old one, and creates the folders above.
func writeFile(path string, content []byte) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}

// rewrite replaces a file by the result of edit.
func rewrite(path string, edit func([]byte) ([]byte, error)) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if text, err = edit(text); err != nil {
		return err
	}
	return writeFile(path, text)
}

func move(dir string, op Op) error {
	from, to := filepath.Join(dir, op.From), filepath.Join(dir, op.To)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if same, err := os.Stat(to); err == nil && same.IsDir() {
		return fmt.Errorf("%s is there already", op.To)
	}
	return os.Rename(from, to)
}

// copyPath copies a file or a folder into an existing folder.
func copyPath(dir string, op Op) error {
	from, to := filepath.Join(dir, op.From), filepath.Join(dir, op.To)
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return writeFile(filepath.Join(to, rel), content)
	})
}

func symlink(dir string, op Op) error {
	path := filepath.Join(dir, op.Path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Symlink(op.Target, path)
}

// fill creates a sparse file of zeros.
func fill(dir string, op Op) error {
	path := filepath.Join(dir, op.Path)
	if err := writeFile(path, nil); err != nil {
		return err
	}
	return os.Truncate(path, op.Size)
}

func textFill(dir string, op Op) error {
	const line = "0123456789abcde\n"
	text := bytes.Repeat([]byte(line), int(op.Size)/len(line)+1)
	return writeFile(filepath.Join(dir, op.Path), text[:op.Size])
}

// match returns the paths that match the pattern. It requires at least one.
func match(dir, pattern string) ([]string, error) {
	if !strings.ContainsAny(pattern, "*?") {
		path := filepath.Join(dir, pattern)
		_, err := os.Lstat(path)
		return []string{path}, err
	}
	expr := regexp.MustCompile("^" + globParts.Replace(regexp.QuoteMeta(pattern)) + "$")
	var found []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err == nil && expr.MatchString(filepath.ToSlash(rel)) {
			found = append(found, path)
		}
		return err
	})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("nothing fits %s", pattern)
	}
	return found, err
}

// globParts converts the quoted wild cards of a pattern to those of an expression. **/ also matches no folder.
var globParts = strings.NewReplacer(`\*\*/`, `(?:.*/)?`, `\*\*`, `.*`, `\*`, `[^/]*`, `\?`, `[^/]`)
