package output

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// earlierContents is the part of a folder's contents that a session may change, as found by the session.
type earlierContents struct { // folders of the runs, relative to the output folder
	dirs    []string            // names in these folders and in their parents; absent: the folder did not exist
	entries map[string][]string // contents of result.json in these folders; absent: it did not exist
	results map[string][]byte   // what result.json of those folders said; absent: there was none
}

// Remember records the contents of the directory for runs in dirs, so that Discard can restore them.
func (c *Claim) Remember(dirs []string) {
	b := &earlierContents{dirs: dirs, entries: map[string][]string{}, results: map[string][]byte{}}
	for dir := range withParents(dirs) {
		entries, err := os.ReadDir(filepath.Join(c.Dir, dir))
		if err != nil {
			continue
		}
		names := make([]string, 0, len(entries))
		for _, e := range entries {
			names = append(names, e.Name())
		}
		b.entries[dir] = names
		if text, err := os.ReadFile(filepath.Join(c.Dir, dir, record.FileName)); err == nil {
			b.results[dir] = text
		}
	}
	c.earlier = b
}

// withParents returns the folders and all their parents up to the output directory, ".".
func withParents(dirs []string) map[string]bool {
	all := map[string]bool{".": true}
	for _, dir := range dirs {
		for d := filepath.Clean(dir); d != "."; d = filepath.Dir(d) {
			all[d] = true
		}
	}
	return all
}

// restore removes files that the session created and restores the contents of result.json. It keeps other programs'
// files.
func (b *earlierContents) restore(out string) {
	for _, dir := range b.dirs {
		if b.entries[filepath.Clean(dir)] == nil {
			_ = os.RemoveAll(filepath.Join(out, dir)) // created for a run whose test has not begun
		}
	}
	ours := slices.Concat(logNames, []string{record.FileName, mlconf.AuditFile})
	folders := make([]string, 0, len(b.entries))
	for dir := range withParents(b.dirs) {
		for _, name := range ours {
			if !slices.Contains(b.entries[dir], name) {
				_ = os.Remove(filepath.Join(out, dir, name))
			}
		}
		if text, was := b.results[dir]; was {
			_ = wholefile.Write(filepath.Join(out, dir, record.FileName), text, 0o644)
		}
		if b.entries[dir] == nil && dir != "." {
			folders = append(folders, dir)
		}
	}
	slices.SortFunc(folders, func(a, b string) int { return len(b) - len(a) }) // the deepest first
	for _, dir := range folders {
		_ = os.Remove(filepath.Join(out, dir)) // fails if other programs created files in it
	}
}
