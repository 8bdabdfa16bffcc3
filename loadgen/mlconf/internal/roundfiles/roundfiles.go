// Package roundfiles contains the rules' files, one for each round, and the tables that all rounds share.
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
var embedded embed.FS

var (
	lock       sync.RWMutex
	addedFiles = map[string][]byte{}
	generation int
	roundName  = regexp.MustCompile(`^v[0-9]+\.[0-9]+$`)
)

// Names returns the names of the rounds that have a file, unordered.
func Names() []string {
	var names []string
	entries, _ := fs.ReadDir(embedded, "rules") // embedded, so the call cannot fail
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), ".json"); roundName.MatchString(name) {
			names = append(names, name)
		}
	}
	lock.RLock()
	defer lock.RUnlock()
	for name := range addedFiles {
		if roundName.MatchString(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Read returns the text of a file: a round ("v6.1") or a shared table ("settings", "accuracy"). Callers must not change
// the result.
func Read(name string) ([]byte, error) {
	lock.RLock()
	defer lock.RUnlock()
	if text, ok := addedFiles[name]; ok {
		return text, nil
	}
	return embedded.ReadFile("rules/" + name + ".json")
}

// Add adds a round's file or replaces a shared table until remove is called. It is for tests.
func Add(name string, text []byte) (remove func()) {
	lock.Lock()
	defer lock.Unlock()
	generation++
	addedFiles[name] = text
	return func() {
		lock.Lock()
		defer lock.Unlock()
		generation++
		delete(addedFiles, name)
	}
}

// Generation returns a number that changes with each change of the files.
func Generation() int {
	lock.RLock()
	defer lock.RUnlock()
	return generation
}
