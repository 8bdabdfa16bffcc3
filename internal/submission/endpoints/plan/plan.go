package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/loadgen/suggest"
)

// Plan contains the points of one system's curve for one model.
type Plan struct {
	Rules   string  `yaml:"rules"` // the round's name
	Model   string  `yaml:"model"` // exactly as the rules spell it
	CMax    int     `yaml:"c_max"`
	CMin    int     `yaml:"c_min_override,omitempty"` // 0: the lowest point's
	SeedSet string  `yaml:"seed_set"`
	Cohort  string  `yaml:"target_cohort"`
	Client  Client  `yaml:"client"`
	Points  []Point `yaml:"points"`
}

// Client contains the settings in the official client's configurations that no rule determines.
type Client struct {
	Endpoint  string `yaml:"endpoint"`  // the server's address
	Tokenizer string `yaml:"tokenizer"` // the reference tokenizer's folder, or its name on Hugging Face
	// PerformanceSet is a file; empty, where the client fetches the set by itself.
	PerformanceSet string `yaml:"performance_set,omitempty"`
	// AccuracySet is a file that stands for the accuracy sets, which the client fetches by itself; it is scored as the
	// first of them is.
	AccuracySet string `yaml:"accuracy_set,omitempty"`
	// ServedModel is the model's name at the server; empty: that of the rules.
	ServedModel string `yaml:"served_model,omitempty"`
	// SWEBench is the address of the official service that runs SWE-bench, of agentic models; empty: there is none.
	SWEBench string `yaml:"swe_bench_service,omitempty"`
	// Workers is how many processes of the official client send requests; 0: as many as it chooses.
	Workers int `yaml:"num_workers,omitempty"`
}

// unfilled is the client's part of a new plan.
var unfilled = Client{Endpoint: "http://SERVER:PORT", Tokenizer: "TOKENIZER", PerformanceSet: "PERFORMANCE_SET"}

// newClient is the client's part of a new plan of a model.
func newClient(model string, rules *endpoints.Rules) Client {
	c := unfilled
	if rules.Clients[model].Performance != "" {
		c.PerformanceSet = ""
	}
	return c
}

// Unfilled are the keys of the client's part that a person has still to fill in.
func (c Client) Unfilled() (keys []string) {
	for _, one := range []struct{ key, value, unfilled string }{
		{"endpoint", c.Endpoint, unfilled.Endpoint}, {"tokenizer", c.Tokenizer, unfilled.Tokenizer},
		{"performance_set", c.PerformanceSet, unfilled.PerformanceSet},
	} {
		if one.value == one.unfilled {
			keys = append(keys, "client."+one.key)
		}
	}
	return keys
}

// Point is a run at a concurrency.
type Point struct {
	Concurrency   int              `yaml:"concurrency"`
	Region        endpoints.Region `yaml:"region"`
	Offline       string           `yaml:"offline,omitempty"` // Dedicated, Elected or ""
	Passes        int              `yaml:"passes"`            // over the performance set, the cropped one included
	WindowSeconds int              `yaml:"window_seconds"`    // at least; of the whole run where there is no window
	Accuracy      bool             `yaml:"accuracy"`          // an accuracy run follows
	Why           string           `yaml:"why,omitempty"`
}

// What a point may be beside a fixed concurrency.
const (
	Dedicated = "dedicated" // an Offline run of its own
	Elected   = "elected"   // the point of C_max stands for Offline
)

// Name is the name of the point's folder.
func (p Point) Name() string { return fmt.Sprintf("r%d", p.Concurrency) }

// head begins a plan's file.
const head = `# A plan of a curve of MLPerf Endpoints. Edit it, and check it with
#   harness submission plan --check FILE
# concurrency, offline, passes, window_seconds, accuracy and what is below client are yours to choose;
# docs/endpoints.md says within which bounds.
`

// YAML is the plan's file.
func (p *Plan) YAML() ([]byte, error) {
	text, err := yaml.MarshalWithOptions(p, yaml.IndentSequence(false))
	return append([]byte(head), text...), err
}

// Agentic says whether the model's benchmark is agentic.
func (p *Plan) Agentic(rules *endpoints.Rules) bool { return rules.AgenticOf(p.Model) != nil }

// checkModel wants an exact name of the rules.
func checkModel(name string, rules *endpoints.Rules) error {
	canonical := endpoints.CanonicalName(name)
	switch {
	case slices.Contains(rules.Models, name):
		return nil
	case name == "":
		return fmt.Errorf("the model is missing, want one of %s", strings.Join(rules.Models, ", "))
	}
	for _, known := range rules.Models {
		if strings.EqualFold(canonical, known) || endpoints.Squash(canonical) == endpoints.Squash(known) {
			return fmt.Errorf("the model is %q, write %s", name, known)
		}
	}
	return suggest.Unknown("model", name, rules.Models)
}

// checkSeeds wants a published seed set, and a cohort that may use it.
func checkSeeds(set, cohort string, rules *endpoints.Rules) (faults []error) {
	if rules.SeedSetOf(set) == nil {
		var known []string
		for _, s := range rules.SeedSets {
			known = append(known, s.ID)
		}
		faults = append(faults, suggest.Unknown("seed set", set, known))
	}
	if adoption := rules.AdoptionCohorts(); !slices.Contains(adoption, cohort) {
		faults = append(faults, fmt.Errorf("the target cohort is %q, want one in which the seed set may be used: %s", cohort,
			strings.Join(adoption, ", ")))
	}
	return faults
}

// errNoRoom is that of a plan with more points than concurrencies.
var errNoRoom = errors.New("there are too few concurrencies for so many points")
