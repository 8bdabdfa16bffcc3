package endpoints

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Rules contains the rules of a round.
type Rules struct {
	Name               string        `json:"name"`
	UltraLowMax        int           `json:"ultra_low_max"` // maximum concurrency of the region
	MinPoints          int           `json:"min_points"`
	MinPointsDedicated int           `json:"min_points_dedicated"` // with a dedicated Offline run
	MaxPoints          int           `json:"max_points"`
	MaxCMin            int           `json:"max_c_min"`
	Margin             float64       `json:"margin"`         // maximum concurrency of valid points, relative to C_max
	OfflineMargin      float64       `json:"offline_margin"` // minimum throughput of Offline, relative to C_max's
	MinSuperPasses     int           `json:"min_super_passes"`
	WindowSeconds      WindowSeconds `json:"window_seconds"`

	Models          []string       `json:"models"` // exact names
	Accuracy        []Targets      `json:"accuracy"`
	Agentic         []Agentic      `json:"agentic"`
	MinQueries      map[string]int `json:"min_queries"`      // by data set
	PerformanceSets map[string]int `json:"performance_sets"` // numbers of samples by model
	// OfficialSets contains the published performance set files by model.
	OfficialSets map[string]OfficialSet `json:"official_sets"`

	Clients map[string]ClientSettings `json:"clients"` // by model

	SeedCohort  string    `json:"seed_cohort"`  // cohort for which the seed sets were published
	SeedCohorts int       `json:"seed_cohorts"` // number of cohorts, including SeedCohort, in which a set may be adopted
	SeedSets    []SeedSet `json:"seed_sets"`

	DrafterLead int       `json:"drafter_lead"` // cohorts from approval to first use
	Drafters    []Drafter `json:"drafters"`

	PowerDefaults PowerDefaults `json:"power_defaults"`
}

// OfficialSet is a published file, identified by one of its checksums in lower-case hex.
type OfficialSet struct {
	File   string `json:"file"`
	MD5    string `json:"md5,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

// WindowSeconds contains the minimum times of steady windows in seconds, for concurrencies up to UltraLowMax and for
// others.
type WindowSeconds struct {
	Low        int `json:"low"`
	SingleTurn int `json:"single_turn"`
	Agentic    int `json:"agentic"`
}

// Targets contains the accuracy limits of a model.
type Targets struct {
	NameParts []string `json:"name_parts"` // lower-case letters and digits that must all occur in the model's name
	Samples   int      `json:"samples"`    // minimum number of requested samples, including repeats
	Bounds    []Bound  `json:"bounds"`
}

// Bound limits a metric to the range from Min x Of to Max x MaxReference (Of if MaxOf is 0). If Max is 0, there is no
// upper limit.
type Bound struct {
	Metric       string  `json:"metric"` // in lower case
	Reference    float64 `json:"of"`
	Min          float64 `json:"min"`
	Max          float64 `json:"max"`
	MaxReference float64 `json:"max_of"`
}

// Low returns the minimum.
func (b Bound) Low() float64 { return b.Reference * b.Min }

// High returns the maximum. ok is false if there is none.
func (b Bound) High() (high float64, ok bool) {
	of := b.Reference
	if b.MaxReference != 0 {
		of = b.MaxReference
	}
	return of * b.Max, b.Max != 0
}

// Agentic contains the limits of an agentic model, in percent and in tokens per turn.
type Agentic struct {
	NameParts []string   `json:"name_parts"`
	Title     string     `json:"title"`
	Inline    float64    `json:"inline"`
	SWEBench  float64    `json:"swe_bench"`
	Tokens    [2]float64 `json:"tokens"`
}

// SeedSet is a published set of seeds. A seed may exceed the largest int64.
type SeedSet struct {
	ID          string `json:"id"`
	Scheduler   uint64 `json:"scheduler_rng_seed"`
	SampleIndex uint64 `json:"sample_index_rng_seed"`
	Model       uint64 `json:"model_seed"`
}

// Drafter is an approved model for speculative decoding, identified by the checksum of its weights.
type Drafter struct {
	Model   string `json:"model"`
	Cohort  string `json:"cohort"` // cohort of its approval
	ID      string `json:"id"`
	Weights string `json:"weights"`
}

// PowerDefaults contains the default watts of appendix D of the rules.
type PowerDefaults struct {
	CPU struct {
		X86Small         float64 `json:"x86_small"`
		X86Large         float64 `json:"x86_large"`
		X86SmallMaxCores int     `json:"x86_small_max_cores"`
		ARM              float64 `json:"arm"`
		ARMMaxCores      int     `json:"arm_max_cores"`
	} `json:"cpu"`
	Accelerators []NamedWatts `json:"accelerators"`
	Switches     []struct {
		Name          string  `json:"name"`
		Passive       float64 `json:"passive"`
		ActiveOptical float64 `json:"active_optical"`
	} `json:"switches"`
	NIC float64 `json:"nic"`
}

// NamedWatts contains the watts of devices whose model name contains Name. Only letters and digits are compared.
type NamedWatts struct {
	Name  string  `json:"name"`
	Watts float64 `json:"watts"`
}

//go:embed endpoints-1.0.json
var newestFile []byte

// NewestRules returns the rules of the newest round.
func NewestRules() *Rules {
	r, err := ReadRules(newestFile)
	if err != nil {
		panic(err) // cannot occur: tests read this embedded file
	}
	return r
}

// ReadRules parses the file of a round. Unknown keys and missing rows are errors.
func ReadRules(text []byte) (*Rules, error) {
	var r Rules
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return nil, fmt.Errorf("the rules of endpoints: %w", err)
	}
	for _, model := range r.Models {
		if r.PerformanceSets[model] == 0 {
			return nil, fmt.Errorf("the rules of %s: %s has no performance set", r.Name, model)
		}
		if r.Clients[model].API == "" {
			return nil, fmt.Errorf("the rules of %s: %s has no settings of the official client", r.Name, model)
		}
		if _, _, err := r.Clients[model].RequestFields(); err != nil {
			return nil, fmt.Errorf("the rules of %s: %s: %w", r.Name, model, err)
		}
		if _, single := r.TargetsOf(model); !single && r.AgenticOf(model) == nil {
			return nil, fmt.Errorf("the rules of %s: %s has no bounds of accuracy", r.Name, model)
		}
	}
	if _, ok := ParseCohort(r.SeedCohort); !ok {
		return nil, fmt.Errorf("the rules of %s: the cohort of the seeds is %q, want YYYY-MM-C0 or C1", r.Name, r.SeedCohort)
	}
	return &r, nil
}

// SquashName returns a name's letters a to z and digits in lower case.
func SquashName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
}

func nameMatches(name string, parts []string) bool {
	squashed := SquashName(name)
	return !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(squashed, p) })
}

// TargetsOf returns the limits of a single-turn model, found by parts of its name.
func (r *Rules) TargetsOf(model string) (Targets, bool) {
	for _, t := range r.Accuracy {
		if nameMatches(model, t.NameParts) {
			return t, true
		}
	}
	return Targets{}, false
}

// AgenticOf returns the limits of an agentic model, or nil.
func (r *Rules) AgenticOf(model string) *Agentic {
	for i, a := range r.Agentic {
		if nameMatches(model, a.NameParts) {
			return &r.Agentic[i]
		}
	}
	return nil
}

// SeedSetOf returns a published seed set, or nil.
func (r *Rules) SeedSetOf(id string) *SeedSet {
	for i, s := range r.SeedSets {
		if s.ID == id {
			return &r.SeedSets[i]
		}
	}
	return nil
}

// DraftersOf returns the approved drafters of a model.
func (r *Rules) DraftersOf(model string) (all []Drafter) {
	for _, d := range r.Drafters {
		if d.Model == model {
			all = append(all, d)
		}
	}
	return all
}

var (
	notInName   = regexp.MustCompile(`[^\pL\pN_\-]`)
	underscores = regexp.MustCompile(`_+`)
)

// CanonicalName returns the spelling of a model's name that its folder uses. It removes the part before a slash, and
// replaces all characters except letters, digits, _ and - with _.
func CanonicalName(name string) string {
	part := strings.TrimSpace(name[strings.LastIndexByte(name, '/')+1:])
	runes := []rune(strings.Trim(underscores.ReplaceAllString(notInName.ReplaceAllString(part, "_"), "_"), "_"))
	return string(runes[:min(len(runes), 64)])
}
