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

// Root is the path of the module at the top of the repository, which begins those of the others.
const Root = "github.com/plumbline-ml/plumbline"

// Ours says whether the path of a module is one of this repository's.
func Ours(path string) bool { return path == Root || strings.HasPrefix(path, Root+"/") }

// Dirs are the folders of the modules of these paths, or of the workspace's, by their paths.
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

// Release makes of a checkout's go.mod that of a release: without replacements by folders, and with all siblings at
// the version. It lists the paths of these siblings. Replacements by other modules are an error: they count in no
// module but the main one.
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
		if Ours(r.Mod.Path) {
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
