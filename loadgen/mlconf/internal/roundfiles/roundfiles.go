// Package roundfiles contains the rules' files, one for each round, and the tables that rounds share.
//
// In scope: the embedded files and those that tests add. Out of scope: their contents.
package roundfiles

import (
	"embed"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed rules
var files embed.FS

var (
	lock       sync.RWMutex
	added      = map[string][]byte{}
	generation int
	round      = regexp.MustCompile(`^v[0-9]+\.[0-9]+$`)
)

// Names lists the rounds that have a file, in no order.
func Names() []string {
	var names []string
	entries, _ := fs.ReadDir(files, "rules") // it is embedded
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), ".json"); round.MatchString(name) {
			names = append(names, name)
		}
	}
	lock.RLock()
	defer lock.RUnlock()
	for name := range added {
		if round.MatchString(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Read is the text of a file: of a round ("v6.1") or a shared table ("settings", "accuracy"). Callers must not change
// it.
func Read(name string) ([]byte, error) {
	lock.RLock()
	defer lock.RUnlock()
	if text, ok := added[name]; ok {
		return text, nil
	}
	return files.ReadFile("rules/" + name + ".json")
}

// Add adds the file of a round, or one in the place of a shared table, for tests, until remove is called.
func Add(name string, text []byte) (remove func()) {
	lock.Lock()
	defer lock.Unlock()
	generation++
	added[name] = text
	return func() {
		lock.Lock()
		defer lock.Unlock()
		generation++
		delete(added, name)
	}
}

// Generation counts the changes of what Read finds.
func Generation() int {
	lock.RLock()
	defer lock.RUnlock()
	return generation
}
