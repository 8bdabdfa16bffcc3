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

	"github.com/plumbline-ml/plumbline/internal/lists"
)

// Subject is a run that looks for its profile.
type Subject struct {
	Key
	Machine Machine
	// PluginSHA256 sums the plugin's binary up. It is asked for only where there is a profile.
	PluginSHA256 func() (string, error)
}

// Store is the folder of profiles.
type Store struct{ Dir string }

// Path is where the profile of a workload on a machine is.
func (s Store) Path(k Key, m Machine) string {
	return filepath.Join(s.Dir, k.Model+"-"+profileName(k, m)+".json")
}

// profileName tells keys on machines apart.
func profileName(k Key, m Machine) string {
	text, _ := json.Marshal(struct { // strings and numbers: it cannot fail
		Key
		Machine Machine
	}{k.cleanKey(), m})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}

// cleanKey makes empty maps and lists absent, so that equal keys look alike.
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

// Same says whether runs with both keys do the same work.
func (k Key) Same(o Key) bool { return reflect.DeepEqual(k.cleanKey(), o.cleanKey()) }

// Find looks for the profile of a run. Without one, ignored says of each that is for the same workload why it does not
// fit, and of one that should be there why it cannot be read.
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

// olderPath is where earlier versions wrote the profile of a model.
func (s Store) olderPath(model string) string { return filepath.Join(s.Dir, model+".json") }

// candidatePaths are the files that may be a model's profile, that of the run first.
func (s Store) candidatePaths(path, model string) []string {
	matches, _ := filepath.Glob(filepath.Join(escapePattern(s.Dir),
		escapePattern(model)+"-*.json")) // the pattern is sound
	others := lists.Filter(matches, func(m string) bool { return m != path })
	return slices.Concat([]string{path}, others, []string{s.olderPath(model)})
}

// escapePattern makes a path a pattern that matches itself.
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

// Mismatch says what else than the run's the profile is for; empty: it fits.
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
