package trust

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ExposureFaults returns the reasons why accounts other than the user and root may change the files that a plugin's
// start executes: the file, a library in its folder, the folder, or a parent folder. Each reason is one sentence; nil
// means that there is none. On systems without owners and modes it returns nil.
func ExposureFaults(binary string) (faults []string) {
	path := realPath(binary)
	files, _ := Libraries(path) // a loader cannot find a library that is unreadable
	for _, file := range append([]string{path}, files...) {
		if info, err := os.Stat(file); err == nil {
			faults = append(faults, exposedFiles(file, info)...)
		}
	}
	own := filepath.Dir(path)
	for dir := own; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		// In a parent folder such as /tmp, other accounts cannot rename files.
		if err == nil && (dir == own || info.Mode()&fs.ModeSticky == 0) {
			faults = append(faults, exposedFiles(dir, info)...)
		}
		if dir == filepath.Dir(dir) {
			return faults
		}
	}
}

func exposedFiles(path string, info fs.FileInfo) []string {
	mode, owner, group, known := ownerOf(info)
	switch {
	case !known:
		return nil
	case owner != 0 && owner != os.Getuid():
		return []string{fmt.Sprintf("%s belongs to user %d", path, owner)}
	case mode&0o002 != 0:
		return []string{fmt.Sprintf("%s may be written by everybody (%v): chmod o-w", path, mode)}
	case mode&0o020 != 0 && group != owner: // a user's own group has the user's number
		return []string{fmt.Sprintf("%s may be written by group %d (%v): chmod g-w", path, group, mode)}
	}
	return nil
}
