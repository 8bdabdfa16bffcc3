package endpoints

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// endpointsConfig is config.yaml in the form of the endpoints harness with all defaults resolved. It omits settings
// without an equivalent in this project.
type endpointsConfig struct {
	Name     string             `yaml:"name"`
	Version  string             `yaml:"version"`
	Type     string             `yaml:"type"`
	Model    modelParams        `yaml:"model_params"`
	Datasets []endpointsDataset `yaml:"datasets"`
	Settings settingsConfig     `yaml:"settings"`
	Endpoint endpointConfig     `yaml:"endpoint_config"`
}

type modelParams struct {
	Name              string   `yaml:"name"`
	Temperature       *float64 `yaml:"temperature,omitempty"`
	Seed              *float64 `yaml:"seed,omitempty"`
	TopK              *float64 `yaml:"top_k,omitempty"`
	TopP              *float64 `yaml:"top_p,omitempty"`
	RepetitionPenalty *float64 `yaml:"repetition_penalty,omitempty"`
	PresencePenalty   *float64 `yaml:"presence_penalty,omitempty"`
	FrequencyPenalty  *float64 `yaml:"frequency_penalty,omitempty"`
	MaxNewTokens      int      `yaml:"max_new_tokens,omitempty"`
	Streaming         string   `yaml:"streaming"`
	Tokenizer         string   `yaml:"tokenizer_name,omitempty"`
}

type endpointsDataset struct {
	Name   string            `yaml:"name"`
	Type   string            `yaml:"type"`
	Path   string            `yaml:"path,omitempty"`
	Parser map[string]string `yaml:"parser,omitempty"`

	Generate *generateParams `yaml:"generate_params,omitempty"`
	Accuracy *accuracyConfig `yaml:"accuracy_config,omitempty"`
	Agentic  *agenticConfig  `yaml:"agentic_inference,omitempty"`
}

type settingsConfig struct {
	Runtime struct {
		MinDuration   int64  `yaml:"min_duration_ms"`
		MaxDuration   int64  `yaml:"max_duration_ms"`
		Samples       int    `yaml:"n_samples_to_issue,omitempty"`
		SchedulerSeed uint64 `yaml:"scheduler_random_seed"`
		DataSeed      uint64 `yaml:"dataloader_random_seed"`
	} `yaml:"runtime"`
	LoadPattern struct {
		Type        string  `yaml:"type"`
		QPS         float64 `yaml:"target_qps,omitempty"`
		Concurrency int     `yaml:"target_concurrency,omitempty"`
		Legacy      bool    `yaml:"use_legacy_loadgen_qps_metrics,omitempty"`
	} `yaml:"load_pattern"`
	Client struct {
		Workers           int  `yaml:"num_workers"`
		WarmupConnections int  `yaml:"warmup_connections"`
		Connections       int  `yaml:"max_connections,omitempty"`
		AllChunks         bool `yaml:"stream_all_chunks"`
		Insecure          bool `yaml:"insecure"`
	} `yaml:"client"`
	Drain struct {
		Performance float64 `yaml:"performance_timeout_s,omitempty"`
	} `yaml:"drain"`
	Warmup struct {
		Enabled  bool   `yaml:"enabled"`
		Requests int    `yaml:"n_requests,omitempty"`
		Salt     bool   `yaml:"salt"`
		Drain    bool   `yaml:"drain"`
		Seed     uint64 `yaml:"warmup_random_seed"`
	} `yaml:"warmup"`
	EarlyStopping struct {
		Enabled bool `yaml:"enabled"`
	} `yaml:"early_stopping"`
}

type endpointConfig struct {
	Endpoints []string `yaml:"endpoints"`
	Key       string   `yaml:"api_key,omitempty"`
	API       string   `yaml:"api_type"`
}

// redactedText replaces a secret.
const redactedText = "<redacted>"

func configurationOf(r Run, pattern, api string, method mlconf.EndpointsMethod) endpointsConfig {
	c := endpointsConfig{Version: "1.0", Type: "online", Name: r.Label,
		Endpoint: endpointConfig{API: api},
		Model:    modelParams{Name: r.Model, MaxNewTokens: r.MaxTokens, Streaming: "off", Tokenizer: r.Tokenizer},
		Datasets: []endpointsDataset{{Name: cmp.Or(r.Data.Name, "perf"), Type: "performance", Path: r.Data.Path}}}
	for _, column := range r.Data.Columns {
		if field, name, ok := strings.Cut(column, "="); ok {
			if c.Datasets[0].Parser == nil {
				c.Datasets[0].Parser = map[string]string{}
			}
			c.Datasets[0].Parser[field] = name
		}
	}
	if pattern == "max_throughput" {
		c.Type = "offline"
	}
	c.Name = cmp.Or(c.Name, c.Type+"_benchmark")
	if r.Stream {
		c.Model.Streaming = "on"
	}
	c.Model.setSampling(r.Fields)
	c.setSettings(r, pattern)
	for _, address := range r.Servers {
		c.Endpoint.Endpoints = append(c.Endpoint.Endpoints, redactedURL(address))
	}
	if r.HasKey {
		c.Endpoint.Key = redactedText
	}
	if pattern == replayPattern {
		c.setReplay(r, method)
	}
	if r.LoadGen != nil {
		c.setLoadGenRun(r, method)
	}
	return c
}

// setSampling copies the fields of requests that the endpoints harness has keys for.
func (m *modelParams) setSampling(fields map[string]string) {
	for name, to := range map[string]**float64{"temperature": &m.Temperature, "seed": &m.Seed, "top_k": &m.TopK,
		"top_p": &m.TopP, "repetition_penalty": &m.RepetitionPenalty, "presence_penalty": &m.PresencePenalty,
		"frequency_penalty": &m.FrequencyPenalty} {
		var v *float64
		if json.Unmarshal([]byte(fields[name]), &v) == nil {
			*to = v
		}
	}
}

func (c *endpointsConfig) setSettings(r Run, pattern string) {
	s := &c.Settings
	s.Runtime.MinDuration = r.Load.Duration.Milliseconds()
	if r.Load.Duration > 0 {
		s.Runtime.MaxDuration = s.Runtime.MinDuration
	} else if r.Load.Requests == 0 {
		s.Runtime.MinDuration = arrival.DefaultDuration.Milliseconds()
	}
	s.Runtime.Samples = r.Load.Requests
	s.Runtime.SchedulerSeed, s.Runtime.DataSeed = r.Load.Seed, r.Load.Seed
	s.LoadPattern.Type = pattern
	s.LoadPattern.QPS, s.LoadPattern.Concurrency = r.Load.PerSecond, r.Load.Users
	s.LoadPattern.Legacy = pattern == "poisson"
	s.Client.Workers = 1
	s.Client.Insecure = r.UncheckedCertificate
	s.Drain.Performance = r.Grace.Seconds()
	s.Warmup.Enabled, s.Warmup.Requests, s.Warmup.Seed = r.WarmUp > 0, r.WarmUp, r.Load.Seed
	s.EarlyStopping.Enabled = true
}

// toYAML returns the file's text.
func (c endpointsConfig) toYAML() ([]byte, error) {
	return yaml.MarshalWithOptions(c, yaml.IndentSequence(false))
}

// redactedURL returns an address without its secrets: the user's name and password, and keys in the query.
func redactedURL(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return redactedText
	}
	if u.User != nil {
		u.User = url.User("redacted")
	}
	query := u.Query()
	for name := range query {
		if isSecretName(name) {
			query[name] = []string{redactedText}
		}
	}
	u.RawQuery = query.Encode()
	return strings.Replace(u.String(), "//redacted@", "//"+redactedText+"@", 1)
}

// isSecretName reports whether a field with that name holds a secret.
func isSecretName(name string) bool {
	name = strings.ReplaceAll(strings.ToLower(name), "-", "_")
	return slices.Contains([]string{"api_key", "key", "token", "authorization", "password"}, name) ||
		strings.HasSuffix(name, "_key") || strings.HasSuffix(name, "_token") || strings.HasSuffix(name, "_password") ||
		strings.Contains(name, "secret")
}

// CheckExpressible returns an error if the endpoints harness has no words for a load or an API.
func CheckExpressible(p arrival.Pattern, api prompts.API) error {
	if _, err := loadPattern(p); err != nil {
		return err
	}
	_, err := apiType(api)
	return err
}
