// Package trust pins plugins and the files that they load by their SHA-256. If a lock file exists, only the plugins in
// it are started.
//
// The lock file has the format of sha256sum, one line per file: 64 hexadecimal digits, two spaces, the path (relative
// paths start at the lock file's folder). Lines that begin with # are comments, except that "#env NAME" lets plugins
// inherit a variable of loaders. A file is a plugin if its name has the plugins' prefix. Before a plugin is started,
// every other pinned file and each library in the plugin's folder must match its checksum.
//
// In scope: the lock file, the check before a start. Out of scope: permissions of the lock file, libraries of the
// system, the behaviour of started plugins.
package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// FileName is the lock file's name in the user's folder of settings.
const FileName = "plugins.lock"

// ErrLock is wrapped by errors about files that are unreadable or not lock files.
var ErrLock = errors.New("lock file")

// sumDigits is the length of a SHA-256 in hexadecimal.
const sumDigits = 64

// Lock is the contents of a lock file.
type Lock struct {
	// Path is the path of the file.
	Path    string
	existed bool
	pins    map[string]string // SHA-256 in lower-case hex, by the file's absolute path without links
	env     map[string]bool   // variables of loaders that plugins may inherit
}

// NewLock returns a lock file at path without pins. Save writes it.
func NewLock(path string) *Lock { return &Lock{Path: path, pins: map[string]string{}} }

// maxBytes limits the size of a lock file; it suffices for some ten thousand pins.
const maxBytes = 4 << 20

// Load reads a lock file. If there is none, the error wraps fs.ErrNotExist.
func Load(path string) (*Lock, error) {
	text, err := backend.ReadFile(path, maxBytes)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLock, err)
	}
	pins, err := parseLock(string(text), filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrLock, path, err)
	}
	return &Lock{path, true, pins, readEnv(string(text))}, nil
}

// parseLock parses the lines of a lock file in the folder dir. The error lists every faulty line.
func parseLock(text, dir string) (map[string]string, error) {
	pins := map[string]string{}
	var faults []error
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		sum, path, err := parsePin(line)
		if err != nil {
			faults = append(faults, fmt.Errorf("line %d: %w", number, err))
			continue
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		path = realPath(path)
		if pins[path] != "" && pins[path] != sum {
			faults = append(faults, fmt.Errorf("line %d: %s has another sha256 in a line above", number, path))
		}
		pins[path] = sum
	}
	return pins, errors.Join(faults...)
}

// parsePin parses one line.
func parsePin(line string) (sum, path string, err error) {
	sum, path, found := strings.Cut(line, " ")
	path = strings.TrimPrefix(strings.TrimPrefix(path, " "), "*") // sha256sum marks binary files with a star
	if !found || len(sum) != sumDigits || strings.Trim(sum, "0123456789abcdefABCDEF") != "" || path == "" {
		return "", "", fmt.Errorf("%.80q, want %d hexadecimal digits, two spaces and a path", line, sumDigits)
	}
	return strings.ToLower(sum), path, nil
}

// realPath returns path without links, as far as it exists.
func realPath(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// Exists reports whether the lock file existed. Without a lock file every plugin may be started.
func (l *Lock) Exists() bool { return l.existed }

// Paths returns the pinned files in order.
func (l *Lock) Paths() []string { return slices.Sorted(maps.Keys(l.pins)) }

// Pin returns the SHA-256 that the file at path must have, and whether it is pinned.
func (l *Lock) Pin(path string) (sum string, found bool) {
	sum, found = l.pins[realPath(path)]
	return sum, found
}

// Set pins the file at path.
func (l *Lock) Set(path, sum string) error {
	path = realPath(path)
	if strings.ContainsAny(path, "\n\r\\") {
		return fmt.Errorf("the path %q cannot be written to a lock file: it has a line break or a backslash", path)
	}
	l.pins[path] = sum
	return nil
}

// Remove removes the pin of the file at path. If it is the last plugin of a folder, it also removes the pins of that
// folder's libraries. It returns the paths of all removed pins, or nil if path had no pin.
func (l *Lock) Remove(path string) (removed []string) {
	path = realPath(path)
	if _, found := l.pins[path]; !found {
		return nil
	}
	removed = []string{path}
	delete(l.pins, path)
	folder := filepath.Dir(path)
	neighbour := func(p string) bool { return isPlugin(p) && filepath.Dir(p) == folder }
	if isPlugin(path) && !slices.ContainsFunc(l.Paths(), neighbour) {
		for _, p := range l.Paths() {
			if isLibrary(filepath.Base(p)) && isInFolder(p, folder) {
				removed = append(removed, p)
				delete(l.pins, p)
			}
		}
	}
	return removed
}

const header = "# Plumbline starts these plugins only, with these libraries: see SECURITY.md. Written by harness " +
	"trust; check with sha256sum -c.\n"

// Save replaces the file by the current pins, readable only by its owner. It creates the folder.
func (l *Lock) Save() error {
	var text strings.Builder
	text.WriteString(header)
	for _, name := range l.Env() {
		text.WriteString(envPrefix + name + "\n")
	}
	for _, path := range l.Paths() {
		fmt.Fprintf(&text, "%s  %s\n", l.pins[path], path)
	}
	err := os.MkdirAll(filepath.Dir(l.Path), 0o700)
	if err == nil {
		err = wholefile.Write(l.Path, []byte(text.String()), 0o600)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrLock, err)
	}
	return nil
}

// Missing reports whether err means that there is no lock file.
func Missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
