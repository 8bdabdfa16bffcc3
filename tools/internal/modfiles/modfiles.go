// Package modfiles makes the go.mod files of a release. In the checkout a module finds its siblings through replace
// lines, which an installed module may not contain. In a release each module requires its siblings at the release's
// version.
package modfiles

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// Root is the path of the module at the top of the repository. It is the prefix of the other modules' paths.
const Root = "github.com/plumbline-ml/plumbline"

// IsOurs reports whether a module belongs to this repository.
func IsOurs(path string) bool { return path == Root || strings.HasPrefix(path, Root+"/") }

// Dirs returns the folders of the given modules, or of all modules in the workspace, by path.
func Dirs(paths ...string) (map[string]string, error) {
	cmd := exec.Command("go", append([]string{"list", "-m", "-f", "{{.Path}} {{.Dir}}"}, paths...)...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list -m: %w", err)
	}
	dirs := map[string]string{}
	for line := range strings.Lines(string(text)) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
		dirs[path] = dir
	}
	return dirs, nil
}

// Release converts a checkout's go.mod to that of a release: it removes replacements by folders and sets the version of
// all siblings. It returns the paths of these siblings. Replacements by other modules are an error, because they have
// an effect only in the main module.
func Release(goMod []byte, version string) (text []byte, siblings []string, err error) {
	f, err := modfile.Parse("go.mod", goMod, nil)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range slices.Clone(f.Replace) {
		if modfile.IsDirectoryPath(r.New.Path) {
			err = errors.Join(err, f.DropReplace(r.Old.Path, r.Old.Version))
		}
	}
	for _, r := range slices.Clone(f.Require) {
		if IsOurs(r.Mod.Path) {
			err = errors.Join(err, f.AddRequire(r.Mod.Path, version))
			siblings = append(siblings, r.Mod.Path)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	f.Cleanup()
	if len(f.Replace) > 0 {
		return nil, nil, fmt.Errorf("go.mod replaces %s, which no module may that is installed by its path",
			f.Replace[0].Old.Path)
	}
	text, err = f.Format()
	return text, siblings, err
}
