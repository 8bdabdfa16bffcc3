package trust

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/host"
)

// libraryFolders are the folders, below a program's folder, in which programs look for their libraries.
var libraryFolders = [...]string{".", "lib"}

// Libraries returns the files that a binary may load from its folder and from lib/ below it: all files with a library's
// name. The paths contain no links, are sorted and occur once.
func Libraries(binary string) ([]string, error) {
	folder := filepath.Dir(realPath(binary))
	var libraries []string
	for _, below := range libraryFolders {
		dir := filepath.Join(folder, below)
		entries, err := os.ReadDir(dir)
		if err != nil && !os.IsNotExist(err) {
			return nil, fmt.Errorf("the libraries of %s: %w", binary, err)
		}
		for _, e := range entries {
			path := realPath(filepath.Join(dir, e.Name()))
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && isLibrary(e.Name()) {
				libraries = append(libraries, path)
			}
		}
	}
	slices.Sort(libraries)
	return slices.Compact(libraries), nil
}

// isLibrary reports whether a name is a library's: x.so, x.so.1.28, x.dylib, x.dll.
func isLibrary(name string) bool {
	name = strings.ToLower(name)
	// The second case is a name with a version.
	return slices.Contains([]string{".so", ".dylib", ".dll"}, filepath.Ext(name)) || strings.Contains(name, ".so.")
}

// isPlugin reports whether a path has a plugin's name.
func isPlugin(path string) bool { return strings.HasPrefix(filepath.Base(path), host.BinaryPrefix) }

// isInFolder reports whether a library is in one of the library folders of a plugin folder.
func isInFolder(library, folder string) bool {
	return slices.ContainsFunc(libraryFolders[:], func(below string) bool {
		return filepath.Dir(library) == filepath.Join(folder, below)
	})
}
