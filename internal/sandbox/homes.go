package sandbox

import (
	"bufio"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// homeParents are folders whose folders are homes of accounts, also of those that no list has.
var homeParents = []string{"/home", "/var/home", "/export/home", "/Users"}

// homes are the home folders of this machine's people: of this account, of root, and of those that /etc/passwd has.
// They are real paths of folders that there are.
func homes() (all []string) {
	own := []string{os.Getenv("HOME"), "/root"}
	if u, err := user.Current(); err == nil {
		own = append(own, u.HomeDir)
	}
	for _, path := range slices.Concat(own, passwdHomes("/etc/passwd")) {
		if !filepath.IsAbs(path) {
			continue
		}
		real, err := filepath.EvalSymlinks(path)
		if err == nil && real != "/" && !slices.Contains(all, real) && !isSystem(real) {
			all = append(all, real)
		}
	}
	return all
}

// passwdHomes are the homes of a file in the form of /etc/passwd, but for those of the accounts of services.
func passwdHomes(path string) (all []string) {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // opened for reading
	const firstPerson, nobody = 1000, 65534
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Split(lines.Text(), ":")
		if len(fields) < 7 {
			continue
		}
		if id, err := strconv.Atoi(fields[2]); err == nil && (id == 0 || id >= firstPerson && id != nobody) {
			all = append(all, fields[5])
		}
	}
	return all
}

// isSystem says whether a path is one of the system's folders, or above one: such a home is an account's of a service.
func isSystem(path string) bool {
	return slices.ContainsFunc(systemFolders, func(shown string) bool {
		real, err := filepath.EvalSymlinks(shown)
		return err == nil && within(real, path)
	})
}

// showsHome says whether a real path is a home folder or above one.
func showsHome(path string, homes []string) bool {
	return slices.Contains(homeParents, filepath.Dir(path)) ||
		slices.ContainsFunc(slices.Concat(homes, homeParents), func(home string) bool { return within(home, path) })
}

// within says whether a path is a folder or below it.
func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}
