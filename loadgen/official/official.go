// Package official drives tests with the official LoadGen instead of package loadgen's own StartTest: the official
// library makes the queries, the times, the verdict and the four log files.
//
// The library is built on the user's machine from an official source tree (make official-loadgen), and opened on
// request. This requires cgo, so the package works only in programs built with the tag officialloadgen; otherwise Open
// returns an error.
//
// In scope: the settings, the SUT, the QSL and the log folder of package loadgen. Out of scope: a loadgen.Result read
// back from the logs. Settings that the library cannot run cause an error before the test. These are the settings of
// rounds v0.5 and v0.7, and settings with which it would read out of range.
package official

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Build describes the sources of a library.
type Build struct {
	Version string `json:"version"` // as the sources say: "6.0.17"
	// SHA256 is the checksum of the list of the sources' checksums.
	SHA256 string `json:"sha256"`
	// Release is the official release with this checksum; empty if no known release has it.
	Release string `json:"release,omitempty"`
	// Files contains the SHA-256 checksum of each source by its name.
	Files map[string]string `json:"files,omitempty"`
}

// Unmodified reports whether the sources are those of a known official release.
func (b Build) Unmodified() bool { return b.Release != "" }

var (
	// ErrNotBuiltIn means that this program was built without support for the official LoadGen.
	ErrNotBuiltIn = errors.New("this program was built without the official LoadGen")
	// ErrLibrary is wrapped by errors about a library that cannot be opened.
	ErrLibrary = errors.New("the official LoadGen's library cannot be used")
)

// FileName is the library's file name. The harness looks for it in its own folder.
const FileName = "plumbline-official-loadgen.so"

// parseBuild parses the library's description of its sources.
func parseBuild(text string) (b Build, err error) {
	if err := json.Unmarshal([]byte(text), &b); err != nil || b.Version == "" || len(b.SHA256) != 64 {
		return b, fmt.Errorf("%w: it does not say of which sources it was made (%.80q): build it again", ErrLibrary, text)
	}
	return b, nil
}
