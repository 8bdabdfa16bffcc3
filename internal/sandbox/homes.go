package sandbox

import (
	"bufio"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
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
	system := realPaths(systemFolders)
	for _, home := range realPaths(slices.Concat(own, accounts())) {
		// One of the system's folders, or one above, is the home of a service.
		ofService := slices.ContainsFunc(system, func(shown string) bool { return within(shown, home) })
		if !ofService && !slices.Contains(all, home) {
			all = append(all, home)
		}
	}
	return all
}

// realPaths are absolute paths without links, of those that there are.
func realPaths(paths []string) (all []string) {
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			continue
		}
		if real, err := filepath.EvalSymlinks(path); err == nil && real != "/" {
			all = append(all, real)
		}
	}
	return all
}

// accounts are the homes of this machine's accounts: they are read once, not for each program.
var accounts = sync.OnceValue(func() []string { return passwdHomes("/etc/passwd") })

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

// showsHome says whether a real path is a home folder or above one.
func showsHome(path string, homes []string) bool {
	return slices.Contains(homeParents, filepath.Dir(path)) ||
		slices.ContainsFunc(slices.Concat(homes, homeParents), func(home string) bool { return within(home, path) })
}

// within says whether a path is a folder or below it.
func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}
