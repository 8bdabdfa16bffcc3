package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// packedFile is a file of the packed folder with its target path.
type packedFile struct {
	from       string // path
	to         string // relative to a prefix such as /usr: "bin/harness"
	executable bool
}

// prefixed lists the files of the packed folder sorted by name, with their paths relative to a prefix.
func prefixed(dir string) (all []packedFile, err error) {
	err = filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		inside, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		all = append(all, packedFile{file, below(filepath.ToSlash(inside)), info.Mode()&0o100 != 0})
		return nil
	})
	return all, err
}

// below returns the path of a packed file relative to a prefix. The harness knows these paths.
func below(inside string) string {
	completions := map[string]string{
		"share/completions/harness.bash": "share/bash-completion/completions/harness",
		"share/completions/harness.fish": "share/fish/vendor_completions.d/harness.fish",
		"share/completions/harness.zsh":  "share/zsh/site-functions/_harness",
	}
	if name := completions[inside]; name != "" {
		return name
	}
	switch first, _, _ := strings.Cut(inside, "/"); first {
	case binDir, "libexec", shareDir:
		return inside
	}
	return "share/plumbline/" + inside
}
