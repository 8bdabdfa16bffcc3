package sandbox

import (
	"cmp"
	"path/filepath"
	"slices"
)

// systemFolders are what programs and their libraries are made of. What there is of them is shown.
var systemFolders = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store",
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime",
}

// view is what a program sees of this machine's files, read-only.
type view struct {
	Paths  []string // real ones, shorter ones first, none within another that shows it already
	Hidden []string // home folders within Paths: they are empty, but for what Paths has of them
	Links  []link
}

// link is a path that leads to a real one.
type link struct{ Path, Real string }

// newView shows the system's folders and the given files and folders, those that there are, but no home folder and none
// above one.
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

// hides says whether a home folder lies between a folder that is shown and a path in it.
func hides(shown, path string, homes []string) bool {
	return slices.ContainsFunc(homes, func(home string) bool { return within(home, shown) && within(path, home) })
}
