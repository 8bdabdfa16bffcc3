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

// homeParents are folders that contain home folders, including homes of accounts that no list contains.
var homeParents = []string{"/home", "/var/home", "/export/home", "/Users"}

// homes returns the existing home folders of people on this machine: of this account, of root, and of accounts in
// /etc/passwd. The paths contain no links.
func homes() (all []string) {
	own := []string{os.Getenv("HOME"), "/root"}
	if u, err := user.Current(); err == nil {
		own = append(own, u.HomeDir)
	}
	system := realPaths(systemFolders)
	for _, home := range realPaths(slices.Concat(own, accounts())) {
		// A system folder, or a parent of one, is the home of a service.
		ofService := slices.ContainsFunc(system, func(shown string) bool { return within(shown, home) })
		if !ofService && !slices.Contains(all, home) {
			all = append(all, home)
		}
	}
	return all
}

// realPaths returns the absolute paths of existing files, without links.
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

// accounts returns the homes of this machine's accounts. It reads them only once.
var accounts = sync.OnceValue(func() []string { return passwdHomes("/etc/passwd") })

// passwdHomes returns the homes in a file in the form of /etc/passwd, without those of service accounts.
func passwdHomes(path string) (all []string) {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // closing a file after reading loses no data
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

// showsHome reports whether a real path is a home folder or contains one.
func showsHome(path string, homes []string) bool {
	return slices.Contains(homeParents, filepath.Dir(path)) ||
		slices.ContainsFunc(slices.Concat(homes, homeParents), func(home string) bool { return within(home, path) })
}

// within reports whether a path is a folder or below it.
func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}
