package tune

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
)

// Subject describes a run for which a profile is sought.
type Subject struct {
	Key
	Machine Machine
	// PluginSHA256 returns the checksum of the plugin's binary. It is called only if there is a profile.
	PluginSHA256 func() (string, error)
}

// Store is the folder of profiles.
type Store struct{ Dir string }

// Path returns the path of the profile of a workload on a machine.
func (s Store) Path(k Key, m Machine) string {
	return filepath.Join(s.Dir, k.Model+"-"+profileName(k, m)+".json")
}

// profileName returns a file name that is unique for the key and the machine.
func profileName(k Key, m Machine) string {
	text, _ := json.Marshal(struct { // strings and numbers: encoding cannot fail
		Key
		Machine Machine
	}{k.cleanKey(), m})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}

// cleanKey replaces empty maps and lists by nil, so that equal keys have equal values.
func (k Key) cleanKey() Key {
	if len(k.BackendOptions) == 0 {
		k.BackendOptions = nil
	}
	if len(k.Params) == 0 {
		k.Params = nil
	}
	if len(k.Devices) == 0 {
		k.Devices = nil
	}
	return k
}

// Same reports whether runs with the two keys do the same work.
func (k Key) Same(o Key) bool { return reflect.DeepEqual(k.cleanKey(), o.cleanKey()) }

// Find finds the profile of a run. If there is none, ignored explains for each profile of the same workload why it does
// not match, and for an unreadable profile why it cannot be read.
func (s Store) Find(r Subject) (path string, found *Profile, ignored []string, err error) {
	path = s.Path(r.Key, r.Machine)
	for _, candidate := range s.candidatePaths(path, r.Model) {
		p, err := Load(candidate)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			if candidate == path || candidate == s.olderPath(r.Model) {
				ignored = append(ignored, fmt.Sprintf("ignored: %v", err))
			}
		case p.For.Same(r.Key):
			why, err := p.Mismatch(r)
			if err != nil || why == "" {
				return candidate, &p, nil, err
			}
			ignored = append(ignored, fmt.Sprintf("%s ignored: it is for %s; harness tune measures anew", candidate, why))
		}
	}
	return "", nil, ignored, nil
}

// olderPath returns the path at which earlier versions wrote the profile of a model.
func (s Store) olderPath(model string) string { return filepath.Join(s.Dir, model+".json") }

// candidatePaths returns the files that may contain a model's profile, starting with that of the run.
func (s Store) candidatePaths(path, model string) []string {
	matches, _ := filepath.Glob(filepath.Join(escapePattern(s.Dir),
		escapePattern(model)+"-*.json")) // the pattern is well-formed
	var others []string
	for _, m := range matches {
		if m != path {
			others = append(others, m)
		}
	}
	return slices.Concat([]string{path}, others, []string{s.olderPath(model)})
}

// escapePattern returns a pattern that matches only path.
func escapePattern(path string) string {
	var out []rune
	for _, r := range path {
		switch r {
		case '*', '?', '[', '\\':
			out = append(out, '\\')
		}
		out = append(out, r)
	}
	return string(out)
}

// Mismatch describes the difference between the profile's subject and the run; "": the profile matches.
func (p Profile) Mismatch(r Subject) (string, error) {
	if p.Machine != r.Machine {
		return fmt.Sprintf("another machine (%v; this is %v)", p.Machine, r.Machine), nil
	}
	sum, err := r.PluginSHA256()
	if err != nil || sum == p.PluginSHA256 {
		return "", err
	}
	return fmt.Sprintf("another build of the plugin (sha256 %.12s; this is %.12s)", p.PluginSHA256, sum), nil
}
