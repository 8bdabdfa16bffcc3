package sandbox

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// systemFolders are what programs and their libraries are made of. What there is of them is shown.
var systemFolders = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store",
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime",
}

// view is what a program sees of this machine's files, read-only.
type view struct {
	Paths []string // real ones, none within another
	Links []link
}

// link is a path that leads to a real one.
type link struct{ Path, Real string }

// newView shows the system's folders and the given ones, those that there are.
func newView(see []string) (v view) {
	var all []string
	for _, path := range slices.Concat(systemFolders, see) {
		path = filepath.Clean(path)
		real, err := filepath.EvalSymlinks(path)
		if err != nil || real == "/" || !filepath.IsAbs(real) {
			continue
		}
		all = append(all, real)
		if real != path {
			v.Links = append(v.Links, link{path, real})
		}
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	for _, path := range all {
		within := func(shown string) bool { return path == shown || strings.HasPrefix(path, shown+"/") }
		if !slices.ContainsFunc(v.Paths, within) {
			v.Paths = append(v.Paths, path)
		}
	}
	slices.SortFunc(v.Links, func(a, b link) int { return cmp.Compare(len(a.Path), len(b.Path)) })
	return v
}
