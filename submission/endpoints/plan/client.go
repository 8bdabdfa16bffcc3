package plan

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/goccy/go-yaml"

	"github.com/plumbline-ml/plumbline/submission/endpoints"
)

// configuration is the official client's configuration of a run, as far as a plan decides it.
type configuration struct {
	Name      string    `yaml:"name"`
	Type      string    `yaml:"type"`
	Model     model     `yaml:"model_params"`
	Datasets  []dataset `yaml:"datasets"`
	Settings  settings  `yaml:"settings"`
	Endpoints struct {
		Endpoints []quoted `yaml:"endpoints"`
	} `yaml:"endpoint_config"`
	ReportDir string `yaml:"report_dir"`
}

type model struct {
	Name      string `yaml:"name"`
	Streaming string `yaml:"streaming"`
}

type dataset struct {
	Name    string   `yaml:"name"`
	Type    string   `yaml:"type"`
	Path    quoted   `yaml:"path"`
	Agentic *agentic `yaml:"agentic_inference,omitempty"`
}

type agentic struct {
	Salt         bool `yaml:"enable_salt"`
	Trajectories int  `yaml:"num_trajectories_to_issue"`
}

// quoted is a text that YAML 1.1 and 1.2 alike read as one, whatever it holds: the client reads 1.1.
type quoted string

// MarshalYAML implements yaml.BytesMarshaler.
func (q quoted) MarshalYAML() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(string(q))
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

type settings struct {
	Runtime struct {
		MinDuration   int64  `yaml:"min_duration_ms"`
		Samples       int    `yaml:"n_samples_to_issue,omitempty"`
		SchedulerSeed uint64 `yaml:"scheduler_random_seed"`
		DataSeed      uint64 `yaml:"dataloader_random_seed"`
	} `yaml:"runtime"`
	Load struct {
		Type        string `yaml:"type"`
		Concurrency int    `yaml:"target_concurrency,omitempty"`
	} `yaml:"load_pattern"`
	Steady *steadyState `yaml:"steady_state,omitempty"`
}

type steadyState struct {
	Enabled bool `yaml:"enabled"`
}

// clientHead begins a configuration.
const clientHead = `# %s of a curve of MLPerf Endpoints, for the official client:
#   benchmark from-config --config %s.yaml --mode %s
# model_params.name is what the server calls the model. Add what is the benchmark's own:
# %s.
`

// ClientConfig is the official client's configuration of a point. The seed set is one of the rules'.
func (p *Plan) ClientConfig(q Point, rules *endpoints.Rules) ([]byte, error) {
	seeds := rules.SeedSetOf(p.SeedSet)
	if seeds == nil {
		return nil, fmt.Errorf("the seed set %q is not published", p.SeedSet)
	}
	need := p.NeedOf(q, rules)
	c := configuration{Name: q.Name(), Type: "online", Model: model{p.Model, "on"}, ReportDir: q.Name(),
		Datasets: []dataset{{Name: "performance", Type: "performance", Path: quoted(p.Client.PerformanceSet)}}}
	c.Endpoints.Endpoints = []quoted{quoted(p.Client.Endpoint)}
	run := &c.Settings.Runtime
	run.MinDuration, run.Samples = need.Time.Milliseconds(), need.Queries
	run.SchedulerSeed, run.DataSeed = seeds.Scheduler, seeds.SampleIndex
	load := &c.Settings.Load
	switch {
	case p.agentic(rules):
		load.Type, load.Concurrency = "agentic_inference", q.Concurrency
		run.Samples, c.Datasets[0].Agentic = 0, &agentic{Salt: true, Trajectories: need.Queries}
	case isDedicated(q):
		c.Type, load.Type = "offline", "max_throughput"
	default:
		load.Type, load.Concurrency = "concurrency", q.Concurrency
		c.Settings.Steady = &steadyState{true}
	}
	mode, more := "perf", "the rest of model_params, and the data set's parser"
	switch {
	case q.Accuracy && p.agentic(rules):
		more += "; its accuracy run, of SWE-bench, is not this client's"
	case q.Accuracy:
		mode, more = "both", "the rest of model_params, and the data sets' parser and accuracy_config"
		c.Datasets = append(c.Datasets, dataset{Name: "accuracy", Type: "accuracy", Path: quoted(p.Client.AccuracySet)})
	}
	text, err := yaml.MarshalWithOptions(c, yaml.IndentSequence(false))
	return append(fmt.Appendf(nil, clientHead, q.Name(), q.Name(), mode, more), text...), err
}
