package tune

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Schema names the format of a profile. SchemaVersion is its version.
const (
	Schema        = "plumbline.tuning"
	SchemaVersion = 2
)

// ErrFile means that a file is unreadable or is not a profile.
var ErrFile = errors.New("tuned settings")

// Profile is the result of a search for one workload on one machine.
type Profile struct {
	Schema        string    `json:"schema"`
	SchemaVersion int       `json:"schema_version"`
	For           Key       `json:"for"`
	Machine       Machine   `json:"machine"`
	PluginSHA256  string    `json:"plugin_sha256"`
	Measured      time.Time `json:"measured"`
	Offline       *Offline  `json:"offline,omitempty"`
	Server        *Server   `json:"server,omitempty"`
}

// Key identifies the measured workload. A run that differs in any field does not use the profile.
type Key struct {
	Model     string `json:"model"`
	ModelFile string `json:"model_file"` // empty: the embedded file
	ModelSize int64  `json:"model_size"` // size of ModelFile in bytes
	Precision string `json:"precision"`
	Dataset   string `json:"dataset"` // empty: the plugin's own
	Backend   string `json:"backend"`
	// BackendOptions contains the user's options, except those that the search varies.
	BackendOptions map[string]string `json:"backend_options,omitempty"`
	Params         map[string]string `json:"params,omitempty"`
	Devices        []string          `json:"devices,omitempty"`
	Network        bool              `json:"network,omitempty"` // a run of the network division
	// PartFiles contains the files of a model with several parts, by part. ModelSize is then their total size.
	PartFiles map[string]string `json:"part_files,omitempty"`
}

// Machine contains the facts that distinguish machines.
type Machine struct {
	CPU   string `json:"cpu"`
	Cores int    `json:"cores"` // cores that the process may use
}

func (m Machine) String() string { return fmt.Sprintf("%s, %s", m.CPU, countText(m.Cores, "core")) }

// Offline contains the fastest setting.
type Offline struct {
	Setting
	SamplesPerSecond float64 `json:"samples_per_second"`
	// Decided reports whether no other setting is likely to be more than Tolerance faster.
	Decided bool    `json:"decided"`
	Points  []Point `json:"points"` // best first
}

// Server contains the highest VALID rate.
type Server struct {
	Setting
	TargetQPS float64 `json:"target_qps"`
	Limits    Limits  `json:"limits"`
	// MinDurationMS is min_duration of the run that confirmed the rate. The rate may be too high for longer runs.
	MinDurationMS int64   `json:"min_duration_ms"`
	Trials        []Trial `json:"trials"` // in order
}

// MetTop reports whether a higher rate was INVALID with the same setting. Otherwise the highest VALID rate may be
// higher than the one found.
func (s Server) MetTop() bool {
	return slices.ContainsFunc(s.Trials, func(t Trial) bool {
		return !t.Valid && t.Setting == s.Setting && t.TargetQPS > s.TargetQPS
	})
}

// Save writes the profile and creates its folder.
func (p Profile) Save(path string) error {
	p.Schema, p.SchemaVersion = Schema, SchemaVersion
	text, err := json.MarshalIndent(p, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o777)
	}
	if err == nil {
		err = wholefile.Write(path, append(text, '\n'), 0o666)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFile, err)
	}
	return nil
}

// maxBytes is the maximum size of a profile to read. Profiles have a few kilobytes.
const maxBytes = 1 << 20

// Load reads a profile.
func Load(path string) (Profile, error) {
	text, err := backend.ReadFile(path, maxBytes)
	if err != nil {
		return Profile{}, fmt.Errorf("%w: %w", ErrFile, err)
	}
	p, err := parseProfile(text)
	if err != nil {
		return Profile{}, fmt.Errorf("%w: %s: %w", ErrFile, path, err)
	}
	return p, nil
}

// parseProfile parses a profile. The error lists all faults.
func parseProfile(text []byte) (Profile, error) {
	var head struct {
		Schema  string `json:"schema"`
		Version int    `json:"schema_version"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return Profile{}, err
	}
	if head.Schema != Schema || head.Version != SchemaVersion {
		return Profile{}, fmt.Errorf("schema %q version %d, want %q version %d: harness tune writes a new one", head.Schema,
			head.Version, Schema, SchemaVersion)
	}
	var p Profile
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return Profile{}, err
	}
	return p, errors.Join(p.findFaults()...)
}

// maxSetting is the maximum of each number in a setting.
const maxSetting = 1 << 20

func (p Profile) findFaults() []error {
	var faults []error
	if p.For.Model == "" {
		faults = append(faults, errors.New("no model"))
	}
	if p.Offline != nil {
		faults = append(faults, p.Offline.findFaults("offline")...)
		faults = append(faults, checkRate("offline: samples_per_second", p.Offline.SamplesPerSecond)...)
		for i, point := range p.Offline.Points {
			faults = append(faults, point.findFaults(fmt.Sprintf("offline: point %d", i+1))...)
		}
	}
	if p.Server != nil {
		faults = append(faults, p.Server.findFaults("server")...)
		faults = append(faults, checkRate("server: target_qps", p.Server.TargetQPS)...)
	}
	return faults
}

func (s Setting) findFaults(where string) []error {
	var faults []error
	for _, n := range []struct {
		name  string
		value int
	}{{"batch", s.Batch}, {"sessions", s.Sessions}, {"threads", s.Threads}, {"requests", s.Requests}} {
		if n.value < 0 || n.value > maxSetting {
			faults = append(faults, fmt.Errorf("%s: %s %d, want 0 to %d", where, n.name, n.value, maxSetting))
		}
	}
	return faults
}

func checkRate(what string, rate float64) []error {
	if rate > 0 && !math.IsInf(rate, 1) {
		return nil
	}
	return []error{fmt.Errorf("%s %v, want a rate above 0", what, rate)}
}
