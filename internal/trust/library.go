package trust

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/host"
)

// libraryFolders are where programs look for their own libraries, below the program's folder.
var libraryFolders = [...]string{".", "lib"}

// Libraries lists the files beside a binary that it may load: those with a library's name in its folder and in lib/
// below it. Paths are without links, each once, in order.
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

// isLibrary knows a library by its name: x.so, x.so.1.28, x.dylib, x.dll.
func isLibrary(name string) bool {
	name = strings.ToLower(name)
	// and its version
	return slices.Contains([]string{".so", ".dylib", ".dll"}, filepath.Ext(name)) || strings.Contains(name, ".so.")
}

// isPlugin reports whether a path has a plugin's name.
func isPlugin(path string) bool { return strings.HasPrefix(filepath.Base(path), host.BinaryPrefix) }

// isInFolder reports whether a library lies where the plugins of a folder look for theirs.
func isInFolder(library, folder string) bool {
	return slices.ContainsFunc(libraryFolders[:], func(below string) bool {
		return filepath.Dir(library) == filepath.Join(folder, below)
	})
}
