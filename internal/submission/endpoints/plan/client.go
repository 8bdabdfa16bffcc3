package plan

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/goccy/go-yaml"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
)

// clientConfig is the part of the official client's configuration that a plan determines.
type clientConfig struct {
	Name      string          `yaml:"name"`
	Type      string          `yaml:"type"`
	Model     yaml.MapSlice   `yaml:"model_params"`
	Datasets  []clientDataset `yaml:"datasets"`
	Settings  clientSettings  `yaml:"settings"`
	Endpoints struct {
		Endpoints []quotedText `yaml:"endpoints"`
		API       string       `yaml:"api_type"`
	} `yaml:"endpoint_config"`
	ReportDir string `yaml:"report_dir"`
}

type clientDataset struct {
	Name    quotedText        `yaml:"name"`
	Type    string            `yaml:"type"`
	Path    quotedText        `yaml:"path,omitempty"`
	Parser  map[string]string `yaml:"parser,omitempty"`
	Scoring yaml.MapSlice     `yaml:"accuracy_config,omitempty"`
	Agentic *clientAgentic    `yaml:"agentic_inference,omitempty"`
}

type clientAgentic struct {
	Salt         bool `yaml:"enable_salt"`
	ToolDelay    bool `yaml:"inject_tool_delay"`
	Trajectories int  `yaml:"num_trajectories_to_issue"`
}

// quotedText is written so that YAML 1.1 and 1.2 both read it as a text. The client reads YAML 1.1.
type quotedText string

// MarshalYAML implements yaml.BytesMarshaler.
func (q quotedText) MarshalYAML() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(string(q))
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

type clientSettings struct {
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
	Client *clientWorkers `yaml:"client,omitempty"`
}

type clientWorkers struct {
	Workers int `yaml:"num_workers"`
}

// clientHead is the beginning of a configuration.
const clientHead = `# %s of a curve of MLPerf Endpoints, for the official client:
#   benchmark from-config --config %s.yaml --mode %s
# model_params.name is what the server calls the model.
`

// ClientConfig returns the official client's configuration of a point. The plan's seed set must be one of the rules'.
func (p *Plan) ClientConfig(q Point, rules *endpoints.Rules) ([]byte, error) {
	seeds, client := rules.SeedSetOf(p.SeedSet), rules.Clients[p.Model]
	if seeds == nil {
		return nil, fmt.Errorf("the seed set %q is not published", p.SeedSet)
	}
	need := p.NeedsOf(q, rules)
	c := clientConfig{Name: q.Name(), Type: "online", ReportDir: q.Name()}
	c.Endpoints.Endpoints, c.Endpoints.API = []quotedText{quotedText(p.Client.Endpoint)}, client.API
	params, err := orderedMembers(client.Params)
	if err != nil {
		return nil, err
	}
	c.Model = append(yaml.MapSlice{{Key: "name", Value: quotedText(cmp.Or(p.Client.ServedModel, p.Model))},
		{Key: "tokenizer_name", Value: quotedText(p.Client.Tokenizer)}, {Key: "streaming", Value: "on"}}, params...)
	run := &c.Settings.Runtime
	run.MinDuration, run.Samples = need.MinTime.Milliseconds(), need.Queries
	run.SchedulerSeed, run.DataSeed = seeds.Scheduler, seeds.SampleIndex
	performance := p.performanceSet(client)
	load := &c.Settings.Load
	switch {
	case p.IsAgentic(rules):
		load.Type, load.Concurrency = "agentic_inference", q.Concurrency
		run.Samples, performance.Agentic = 0, &clientAgentic{Salt: true, ToolDelay: true, Trajectories: need.Queries}
	case isDedicated(q):
		c.Type, load.Type = "offline", "max_throughput"
	default:
		load.Type, load.Concurrency = "concurrency", q.Concurrency
	}
	if p.Client.Workers > 0 {
		c.Settings.Client = &clientWorkers{p.Client.Workers}
	}
	c.Datasets = []clientDataset{performance}
	mode := p.ClientMode(q, rules)
	if mode == modeBoth {
		sets, err := p.accuracySets(client)
		if err != nil {
			return nil, err
		}
		c.Datasets = append(c.Datasets, sets...)
	}
	text, err := yaml.MarshalWithOptions(c, yaml.IndentSequence(false))
	return append(fmt.Appendf(nil, clientHead, q.Name(), q.Name(), mode), text...), err
}

// modeBoth is the mode of a point whose accuracy run the client makes together with the performance run.
const modeBoth = "both"

// ClientMode returns the --mode with which the official client makes the runs of a point.
func (p *Plan) ClientMode(q Point, rules *endpoints.Rules) string {
	client := rules.Clients[p.Model]
	if q.Accuracy && (len(client.Accuracy) > 0 || client.SWEBench != nil && p.Client.SWEBench != "") {
		return modeBoth
	}
	return "perf"
}

// performanceSet returns the performance set: a file, or a set that the client downloads.
func (p *Plan) performanceSet(client endpoints.ClientSettings) clientDataset {
	d := clientDataset{Name: "performance", Type: "performance", Path: quotedText(p.Client.PerformanceSet),
		Parser: client.Columns}
	if p.Client.PerformanceSet == "" {
		d.Name, d.Parser = quotedText(client.Performance), nil
	}
	if client.InlineScorer != "" {
		d.Scoring = yaml.MapSlice{{Key: "eval_method", Value: client.InlineScorer}, {Key: "num_repeats", Value: 1}}
	}
	return d
}

// accuracySets returns the accuracy sets: sets that the client downloads, one file that replaces them, or SWE-bench in
// a service.
func (p *Plan) accuracySets(client endpoints.ClientSettings) ([]clientDataset, error) {
	var sets []clientDataset
	if of := client.SWEBench; of != nil {
		extras := yaml.MapSlice{{Key: "swebench_service_url", Value: quotedText(p.Client.SWEBench)},
			{Key: "num_instances", Value: of.Instances}}
		if of.Template != "" {
			extras = append(extras, yaml.MapItem{Key: "swebench_template", Value: of.Template})
		}
		scoring := yaml.MapSlice{{Key: "eval_method", Value: "swe_bench_scorer"}, {Key: "num_repeats", Value: 1},
			{Key: "extras", Value: extras}}
		return []clientDataset{{Name: endpoints.SWEBenchSet, Type: "accuracy", Scoring: scoring}}, nil
	}
	for _, set := range client.Accuracy {
		scoring, err := orderedMembers(set.Scoring)
		if err != nil {
			return nil, err
		}
		sets = append(sets, clientDataset{Name: quotedText(set.Name), Type: "accuracy", Scoring: scoring})
	}
	if path := p.Client.AccuracySet; path != "" {
		sets = sets[:1]
		sets[0].Name, sets[0].Path, sets[0].Parser = "accuracy", quotedText(path), client.Columns
	}
	return sets, nil
}

// orderedMembers returns the members of a JSON object in order.
func orderedMembers(object []byte) (members yaml.MapSlice, err error) {
	err = yaml.UnmarshalWithOptions(object, &members, yaml.UseOrderedMap())
	return members, err
}
