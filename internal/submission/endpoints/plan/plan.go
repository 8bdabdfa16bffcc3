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
	Rules   string         `yaml:"rules"` // name of the round
	Model   string         `yaml:"model"` // exact name in the rules
	CMax    int            `yaml:"c_max"`
	CMin    int            `yaml:"c_min_override,omitempty"` // 0: the lowest point's
	SeedSet string         `yaml:"seed_set"`
	Cohort  string         `yaml:"target_cohort"`
	Client  ClientSettings `yaml:"client"`
	Points  []Point        `yaml:"points"`
}

// ClientSettings contains the settings of the official client's configurations that the rules leave open.
type ClientSettings struct {
	Endpoint  string `yaml:"endpoint"`  // address of the server
	Tokenizer string `yaml:"tokenizer"` // folder of the reference tokenizer, or its name on Hugging Face
	// PerformanceSet is a file; empty: the client downloads the set.
	PerformanceSet string `yaml:"performance_set,omitempty"`
	// AccuracySet is a file that replaces the accuracy sets that the client would download. It is scored like the first of
	// them.
	AccuracySet string `yaml:"accuracy_set,omitempty"`
	// ServedModel is the model's name at the server; empty: the name in the rules.
	ServedModel string `yaml:"served_model,omitempty"`
	// SWEBench is the address of the official service that runs SWE-bench for agentic models; empty: none.
	SWEBench string `yaml:"swe_bench_service,omitempty"`
	// Workers is the number of the official client's sending processes; 0: the client's default.
	Workers int `yaml:"num_workers,omitempty"`
}

// unfilled contains the placeholders for the client's settings in a new plan.
var clientPlaceholders = ClientSettings{Endpoint: "http://SERVER:PORT", Tokenizer: "TOKENIZER",
	PerformanceSet: "PERFORMANCE_SET"}

// newClient returns the client's settings in a new plan for a model.
func newClient(model string, rules *endpoints.Rules) ClientSettings {
	c := clientPlaceholders
	if rules.Clients[model].Performance != "" {
		c.PerformanceSet = ""
	}
	return c
}

// Unfilled returns the keys of the client's settings that a person must still fill in.
func (c ClientSettings) Unfilled() (keys []string) {
	for _, one := range []struct{ key, value, unfilled string }{
		{"endpoint", c.Endpoint, clientPlaceholders.Endpoint}, {"tokenizer", c.Tokenizer, clientPlaceholders.Tokenizer},
		{"performance_set", c.PerformanceSet, clientPlaceholders.PerformanceSet},
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
	Passes        int              `yaml:"passes"`            // over the performance set, including the cropped pass
	WindowSeconds int              `yaml:"window_seconds"`    // minimum; of the whole run if there is no window
	Accuracy      bool             `yaml:"accuracy"`          // whether an accuracy run follows
	Why           string           `yaml:"why,omitempty"`
}

// Values of Point.Offline.
const (
	Dedicated = "dedicated" // a separate Offline run
	Elected   = "elected"   // the point at C_max represents Offline
)

// Name returns the name of the point's folder.
func (p Point) Name() string { return fmt.Sprintf("r%d", p.Concurrency) }

// planHead is the beginning of a plan's file.
const planHead = `# A plan of a curve of MLPerf Endpoints. Edit it, and check it with
#   harness submission plan --check FILE
# concurrency, offline, passes, window_seconds, accuracy and what is below client are yours to choose;
# docs/endpoints.md says within which bounds.
`

// YAML returns the text of the plan's file.
func (p *Plan) YAML() ([]byte, error) {
	text, err := yaml.MarshalWithOptions(p, yaml.IndentSequence(false))
	return append([]byte(planHead), text...), err
}

// IsAgentic reports whether the model's benchmark is agentic.
func (p *Plan) IsAgentic(rules *endpoints.Rules) bool { return rules.AgenticOf(p.Model) != nil }

// checkModel requires an exact name of the rules.
func checkModel(name string, rules *endpoints.Rules) error {
	canonical := endpoints.CanonicalName(name)
	switch {
	case slices.Contains(rules.Models, name):
		return nil
	case name == "":
		return fmt.Errorf("the model is missing, want one of %s", strings.Join(rules.Models, ", "))
	}
	for _, known := range rules.Models {
		if strings.EqualFold(canonical, known) || endpoints.SquashName(canonical) == endpoints.SquashName(known) {
			return fmt.Errorf("the model is %q, write %s", name, known)
		}
	}
	return suggest.Unknown("model", name, rules.Models)
}

// checkSeeds requires a published seed set and a cohort that may use it.
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

// errNoRoom reports a plan with more points than concurrencies.
var errNoRoom = errors.New("there are too few concurrencies for so many points")
