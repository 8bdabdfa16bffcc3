package sandbox

import (
	"cmp"
	"path/filepath"
	"slices"
)

// systemFolders are folders with the system's programs and libraries. Those that exist are shown.
var systemFolders = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store",
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime",
}

// view is the part of this machine's files that a program can read.
type view struct {
	Paths  []string // real paths, shorter ones first; no path is below another that already shows it
	Hidden []string // home folders within Paths; they are empty except for their files in Paths
	Links  []link
}

// link is a path that is a symbolic link to a real path.
type link struct{ Path, Real string }

// newView shows the existing system folders and the existing files in see, but no home folder or parent of one.
func newView(see, homes []string) (v view) {
	var all []string
	for i, path := range slices.Concat(systemFolders, see) {
		path = filepath.Clean(path)
		real, err := filepath.EvalSymlinks(path)
		if err != nil || real == "/" || !filepath.IsAbs(real) {
			continue
		}
		if i >= len(systemFolders) && showsHome(real, homes) {
			continue
		}
		all = append(all, real)
		if real != path {
			v.Links = append(v.Links, link{path, real})
		}
	}
	slices.SortFunc(all, byLength)
	for _, path := range all {
		shows := func(shown string) bool { return within(path, shown) && !hides(shown, path, homes) }
		if !slices.ContainsFunc(v.Paths, shows) {
			v.Paths = append(v.Paths, path)
		}
	}
	for _, home := range homes {
		if slices.ContainsFunc(v.Paths, func(shown string) bool { return within(home, shown) }) {
			v.Hidden = append(v.Hidden, home)
		}
	}
	slices.SortFunc(v.Hidden, byLength)
	slices.SortFunc(v.Links, func(a, b link) int { return cmp.Compare(len(a.Path), len(b.Path)) })
	return v
}

func byLength(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// hides reports whether a home folder is between a shown folder and a path in it.
func hides(shown, path string, homes []string) bool {
	return slices.ContainsFunc(homes, func(home string) bool { return within(home, shown) && within(path, home) })
}
