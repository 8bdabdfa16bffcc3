package endpoints

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/plumbline-ml/plumbline/internal/serving/formats"
)

// TranslatedConfig is another tool's configuration in the terms of harness bench. If Replays is set, it uses the terms
// of harness run for a benchmark that replays recorded conversations.
type TranslatedConfig struct {
	IsReplay bool
	Address  string   // addresses of the servers, separated by commas
	Flags    []string // each flag is followed by its value, if it has one
	// Params contains the keys of the configuration that are parameters of a replay benchmark. The benchmark defines the
	// parameters' names (sdk.RoleReplay).
	Params []Param
	// Notes lists the parts of the configuration without an effect here, one sentence each.
	Notes []string
}

// Param is a key of a configuration with its value.
type Param struct{ Key, Value string }

// IsConfig reports whether a text looks like a configuration of the endpoints harness: it contains the addresses of the
// servers, unlike other configurations.
func IsConfig(text []byte) bool {
	root, err := readMapping(text)
	_, there := root["endpoint_config"]
	return err == nil && there
}

// CheckReadable returns an error if a text is not a YAML mapping, or exceeds the limits of nesting and size.
func CheckReadable(text []byte) error {
	_, err := readMapping(text)
	return err
}

// ReadConfig reads the endpoints harness's config.yaml. Its error names all unknown keys, all invalid values, and all
// settings that harness bench does not support.
func ReadConfig(text []byte) (*TranslatedConfig, error) {
	root, err := readMapping(text)
	if err != nil {
		return nil, err
	}
	c := &configReader{TranslatedConfig: &TranslatedConfig{}}
	c.readRoot(root)
	if err := errors.Join(c.faults...); err != nil {
		return nil, err
	}
	return c.TranslatedConfig, nil
}

// deepest is the maximum nesting of mappings and lists. maxValues is the maximum number of values after the expansion
// of aliases.
const (
	maxNesting = 50
	maxValues  = 10_000
)

// readMapping reads a YAML text with a single document.
func readMapping(text []byte) (map[string]any, error) {
	if err := formats.CheckYAML(text, maxNesting, maxValues); err != nil {
		return nil, err
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	var root map[string]any
	if err := d.Decode(&root); err != nil {
		return nil, fmt.Errorf("no mapping in YAML: %s", yaml.FormatError(err, false, false))
	}
	var more any
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one document, want one")
	}
	return root, nil
}

// configReader translates a configuration and collects its faults.
type configReader struct {
	*TranslatedConfig
	faults      []error
	mode        string
	api         string
	ignoredKeys []string // keys without an effect
}

func (c *configReader) addFaultf(path, format string, args ...any) {
	c.faults = append(c.faults, fmt.Errorf("%s: %w", path, fmt.Errorf(format, args...)))
}

func (c *configReader) addFlag(words ...string) { c.Flags = append(c.Flags, words...) }

const unsupportedAdvice = "harness bench has nothing like it; take it out"

func (c *configReader) readRoot(keys map[string]any) {
	s := configSection{configReader: c, keys: keys}
	if s.isReplay() {
		c.readReplay(s)
		c.noteIgnored()
		return
	}
	s.checkKeys(rootKeys)
	c.mode = s.textAt("type")
	if c.mode != "offline" && c.mode != "online" {
		c.addFaultf("type", "%s: want offline or online; accuracy and submissions are harness run's", c.mode)
	}
	s.rejectKeys("harness bench makes no submissions; take it out", "submission_ref", "benchmark_mode", "audit")
	s.rejectKeys("--duration and --grace bound a point; take it out", "timeout")
	s.ignoreKeys("version", "verbose", "enable_cpu_affinity")
	name := cmp.Or(s.textAt("name"), c.mode+"_benchmark")
	e := s.subsection("endpoint_config", "endpoints", "api_key", "api_type")
	c.readEndpoint(e)
	c.addFlag("--label", name)
	c.readModel(s.subsection("model_params", modelKeys...))
	c.readData(s)
	c.readSettings(s.subsection("settings", settingsKeys...))
	c.readKeyFlag(e)
	c.addFlag("--api", c.api)
	if out := s.textAt("report_dir"); out != "" {
		c.addFlag("--out", out)
	}
	c.noteIgnored()
}

func (c *configReader) noteIgnored() {
	if len(c.ignoredKeys) > 0 {
		c.Notes = append(c.Notes, "without an effect here: "+strings.Join(c.ignoredKeys, ", "))
	}
}

// The endpoints harness's keys, by section.
var (
	rootKeys = []string{"name", "version", "type", "submission_ref", "benchmark_mode", "model_params", "datasets",
		"settings", "endpoint_config", "report_dir", "timeout", "verbose", "enable_cpu_affinity", "audit"}
	modelKeys = []string{"name", "temperature", "seed", "top_k", "top_p", "repetition_penalty", "presence_penalty",
		"frequency_penalty", "chat_template_kwargs", "max_new_tokens", "min_new_tokens", "skip_special_tokens",
		"osl_distribution", "streaming", "tokenizer_name"}
	datasetKeys = []string{"name", "type", "path", "format", "samples", "eval_method", "parser", "generate_params",
		"accuracy_config", "agentic_inference", "generation_config_override"}
	settingsKeys = []string{"runtime", "load_pattern", "client", "drain", "warmup", "profiling", "early_stopping",
		"service_ready_timeout_s"}
	runtimeKeys = []string{"min_duration_ms", "max_duration_ms", "n_samples_to_issue", "scheduler_random_seed",
		"dataloader_random_seed"}
	loadKeys   = []string{"type", "target_qps", "target_concurrency", "use_legacy_loadgen_qps_metrics"}
	warmupKeys = []string{"enabled", "n_requests", "salt", "drain", "warmup_random_seed"}
	clientKeys = []string{"num_workers", "log_level", "warmup_connections", "auto_warmup_budget_fraction",
		"max_concurrent_warmup_connects", "max_connections", "transport", "stream_all_chunks",
		"worker_initialization_timeout", "worker_graceful_shutdown_wait", "worker_force_kill_timeout", "insecure",
		"max_idle_time", "min_required_connections", "worker_gc_mode"}
)

// environmentReference matches a reference to an environment variable.
var environmentReference = regexp.MustCompile(`^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$`)

// readEndpoint reads the addresses of the servers.
func (c *configReader) readEndpoint(s configSection) {
	all, _ := s.keys["endpoints"].([]any)
	var urls []string
	for i, v := range all {
		u, ok := v.(string)
		if !ok || !strings.HasPrefix(u, "http://") && !strings.HasPrefix(u, "https://") || strings.Contains(u, ",") {
			s.addFaultf(fmt.Sprintf("%s[%d]", s.pathOf("endpoints"), i), "want an address that begins with http:// or https://")
		}
		urls = append(urls, u)
	}
	if len(urls) == 0 {
		s.addFaultf(s.pathOf("endpoints"), "want a list of addresses")
	}
	c.Address = strings.Join(urls, ",")
	switch api := s.textAt("api_type"); api {
	case "", "openai":
		c.api = "chat"
	case "openai_completions":
		c.api = "completions"
	default:
		s.addFaultf(s.pathOf("api_type"), "%s: %s (it has openai and openai_completions)", api, unsupportedAdvice)
	}
}

// readKeyFlag adds the flag for the API's key, which must be in an environment variable.
func (c *configReader) readKeyFlag(s configSection) {
	text := s.textAt("api_key")
	switch m := environmentReference.FindStringSubmatch(text); {
	case text == "":
	case m != nil:
		c.addFlag("--backend-opt", "key_env="+m[1])
	case text == redactedText:
		s.addFaultf(s.pathOf("api_key"),
			"it was taken out when the file was written: want ${NAME} of an environment variable")
	default:
		s.addFaultf(s.pathOf("api_key"), "want ${NAME} of an environment variable: a key is not to stand in a file")
	}
}

// readModel reads the model and the fields of each request.
func (c *configReader) readModel(s configSection) {
	name := s.textAt("name")
	if name == "" {
		s.addFaultf(s.pathOf("name"), "want the model's name at the server")
	}
	c.addFlag("--model", name)
	for _, key := range []string{"temperature", "seed", "top_k", "top_p", "repetition_penalty", "presence_penalty",
		"frequency_penalty"} {
		if n, ok := s.numberAt(key, -2, key == "seed" || key == "top_k"); ok {
			c.addFlag("--body", key+"="+formatNumber(n))
		}
	}
	if v := s.keys["chat_template_kwargs"]; v != nil {
		text, err := json.Marshal(v)
		if _, ok := v.(map[string]any); !ok || err != nil {
			s.addFaultf(s.pathOf("chat_template_kwargs"), "%s, want a mapping", shortValue(v))
		}
		c.addFlag("--body", "chat_template_kwargs="+string(text))
	}
	c.readLengths(s)
	c.readStream(s)
	if t := s.textAt("tokenizer_name"); t != "" {
		if info, err := os.Stat(t); err == nil && !info.IsDir() {
			c.addFlag("--tokenizer", t)
		} else {
			s.Notes = append(s.Notes,
				s.pathOf("tokenizer_name")+": tokens are counted by the server; a file of a tokenizer would "+
					"be --tokenizer")
		}
	}
}

// readStream reads whether answers are streamed.
func (c *configReader) readStream(s configSection) {
	stream := s.textAt("streaming")
	switch {
	case stream == "" || stream == "auto":
		if stream = "on"; c.mode == "offline" {
			stream = "off"
		}
	case stream != "on" && stream != "off":
		s.addFaultf(s.pathOf("streaming"), "%s, want on, off or auto", shortValue(stream))
	}
	c.addFlag("--stream", stream)
}

// The endpoints harness's default lengths in tokens.
const (
	defaultMaxTokens = 1024
	defaultMinTokens = 1
)

// readLengths reads the limits of answers' lengths.
func (c *configReader) readLengths(s configSection) {
	most, ok := s.numberAt("max_new_tokens", 1, true)
	if !ok {
		most = defaultMaxTokens
	}
	field := "max_completion_tokens"
	if c.api == "completions" {
		field = "max_tokens"
	}
	c.addFlag("--body", field+"="+formatNumber(most))
	if least, ok := s.numberAt("min_new_tokens", 0, true); ok && least != defaultMinTokens {
		if c.api != "completions" {
			s.addFaultf(s.pathOf("min_new_tokens"), "%s: want api_type openai_completions", formatNumber(least))
		}
		c.addFlag("--body", "min_tokens="+formatNumber(least))
	}
	if !s.boolAt("skip_special_tokens", true) {
		if c.api != "completions" {
			s.addFaultf(s.pathOf("skip_special_tokens"), "false: want api_type openai_completions")
		}
		c.addFlag("--body", "skip_special_tokens=false")
	}
	of := s.subsection("osl_distribution", "type", "mean", "std", "min", "max")
	if t := of.textAt("type"); t != "" && t != "original" {
		s.addFaultf(s.pathOf("osl_distribution"), "%s: lengths are the data's, or --osl without data; take it out", t)
	}
}

// eachDataset yields the data sets that are mappings and reports the others as faults.
func (c *configReader) eachDataset(s configSection) iter.Seq[configSection] {
	return func(yield func(configSection) bool) {
		all, _ := s.keys["datasets"].([]any)
		for i, v := range all {
			d := configSection{configReader: c, path: fmt.Sprintf("datasets[%d]", i)}
			keys, ok := v.(map[string]any)
			if !ok {
				s.addFaultf(d.path, "%s, want a mapping", shortValue(v))
				continue
			}
			d.keys = keys
			d.checkKeys(datasetKeys)
			if !yield(d) {
				return
			}
		}
	}
}

// readData reads the performance data set. There must be exactly one.
func (c *configReader) readData(s configSection) {
	measured := 0
	for d := range c.eachDataset(s) {
		if t := d.textAt("type"); t != "" && t != "performance" {
			s.addFaultf(d.path, "type %s: harness bench scores nothing; take it out", t)
			continue
		}
		measured++
		d.readFile()
	}
	if measured != 1 {
		s.addFaultf("datasets", "%d of type performance, want one", measured)
	}
}

// readFile reads a data set's file, format and columns.
func (s configSection) readFile() {
	path := s.textAt("path")
	if path == "" {
		s.addFaultf(s.pathOf("path"), "%s: want the file; data sets by name alone are made by endpoints",
			shortValue(s.textAt("name")))
	}
	s.addFlag("--data", path)
	if f := s.textAt("format"); f != "" {
		s.addFlag("--format", f)
	}
	columns := configSection{configReader: s.configReader, path: s.pathOf("parser")}
	switch v := s.keys["parser"].(type) {
	case nil:
	case map[string]any:
		columns.keys = v
	default:
		s.addFaultf(columns.path, "%s, want a mapping", shortValue(v))
	}
	for _, field := range slices.Sorted(maps.Keys(columns.keys)) {
		s.addFlag("--column", field+"="+columns.textAt(field))
	}
	s.rejectKeys(unsupportedAdvice, "samples", "eval_method", "generate_params", "accuracy_config", "agentic_inference",
		"generation_config_override")
}

// The endpoints harness's default settings.
const (
	defaultMinDuration = 600_000 // ms
	defaultDrain       = 240     // s
	defaultSeed        = 42
	millisPerSecond    = 1000 // ms
	noMaxDuration      = 0
)

func (c *configReader) readSettings(s configSection) {
	c.readLoad(s)
	r := s.subsection("runtime", runtimeKeys...)
	seed, other := r.seedAt("scheduler_random_seed"), r.seedAt("dataloader_random_seed")
	if r.keys["dataloader_random_seed"] != nil && other != seed {
		r.addFaultf(r.pathOf("dataloader_random_seed"), "%v: there is one seed for times and prompts here; want it as "+
			"scheduler_random_seed, %v", other, seed)
	}
	c.addFlag("--seed", seed)
	c.readWarmUp(s.subsection("warmup", warmupKeys...))
	d := s.subsection("drain", "warmup_timeout_s", "performance_timeout_s", "accuracy_timeout_s",
		"metrics_drain_timeout_s",
		"metrics_tokenizer_workers")
	grace, ok := d.numberAt("performance_timeout_s", 0, false)
	if !ok {
		grace = defaultDrain
	}
	c.addFlag("--grace", formatNumber(grace)+"s")
	d.ignoreKeys("warmup_timeout_s", "accuracy_timeout_s", "metrics_drain_timeout_s", "metrics_tokenizer_workers")
	c.readConnection(s.subsection("client", clientKeys...))
	s.subsection("profiling", "engine", "urls").rejectKeys(unsupportedAdvice, "engine", "urls")
	s.subsection("early_stopping", "enabled").ignoreKeys("enabled")
	s.ignoreKeys("service_ready_timeout_s")
}

// readLoad reads the load and the number of requests.
func (c *configReader) readLoad(s configSection) {
	p := s.subsection("load_pattern", loadKeys...)
	kind := cmp.Or(p.textAt("type"), "max_throughput")
	qps, rated := p.numberAt("target_qps", math.SmallestNonzeroFloat64, false)
	users, crowd := p.numberAt("target_concurrency", 1, true)
	wanted := map[string]string{"offline": "max_throughput", "online": "poisson or concurrency"}[c.mode]
	if wanted != "" && !slices.Contains(strings.Split(wanted, " or "), kind) &&
		slices.Contains([]string{"max_throughput", "poisson", "concurrency"}, kind) {
		p.addFaultf(p.pathOf("type"), "%s: want %s where type is %s", kind, wanted, c.mode)
	}
	switch kind {
	case "max_throughput":
		c.addFlag("--max")
	case "poisson":
		if !rated {
			p.addFaultf(p.pathOf("target_qps"), "want requests per second, above 0")
		}
		c.addFlag("--rate", formatNumber(qps))
	case "concurrency":
		if !crowd {
			p.addFaultf(p.pathOf("target_concurrency"), "want how many requests are under way, from 1 on")
		}
		c.addFlag("--concurrency", formatNumber(users))
	default:
		p.addFaultf(p.pathOf("type"), "%s: %s (it has max_throughput, poisson and concurrency)", kind, unsupportedAdvice)
	}
	p.ignoreKeys("use_legacy_loadgen_qps_metrics")
	c.readLimits(s, kind, qps)
}

// readLimits reads the duration and the number of requests. If all requests are sent at once, the number is rate times
// duration.
func (c *configReader) readLimits(s configSection, kind string, qps float64) {
	r := configSection{configReader: c, path: s.pathOf("runtime")}
	r.keys, _ = s.keys["runtime"].(map[string]any)
	least, most := r.millisAt("min_duration_ms", defaultMinDuration), r.millisAt("max_duration_ms", noMaxDuration)
	if most != noMaxDuration && most < least {
		r.addFaultf(r.pathOf("max_duration_ms"), "%v ms, want no less than min_duration_ms, %v", most, least)
	}
	n, given := r.numberAt("n_samples_to_issue", 1, true)
	switch {
	case given:
	case kind == "max_throughput" && qps > 0 && least > 0:
		n, given = math.Ceil(qps*least/millisPerSecond), true
	case kind != "max_throughput" && least > 0:
		most = least
	}
	if given {
		c.addFlag("--requests", formatNumber(n))
	}
	if most > 0 {
		c.addFlag("--duration", formatNumber(most)+"ms")
	}
}

func (c *configReader) readWarmUp(s configSection) {
	n, given := s.numberAt("n_requests", 1, true)
	switch {
	case !s.boolAt("enabled", false):
		n = 0
	case !given:
		s.addFaultf(s.pathOf("n_requests"), "want how many requests warm up")
	}
	c.addFlag("--warmup", formatNumber(n))
	s.ignoreKeys("salt", "drain", "warmup_random_seed")
}

// readConnection reads the client settings that have an equivalent here.
func (c *configReader) readConnection(s configSection) {
	if s.boolAt("insecure", false) {
		c.addFlag("--backend-opt", "insecure=true")
	}
	if n, ok := s.numberAt("max_connections", -1, true); ok && n > 0 {
		s.addFaultf(s.pathOf("max_connections"), "%v: there is no such limit here; take it out, or want %v users by "+
			"target_concurrency", n, n)
	}
	s.ignoreKeys("num_workers", "log_level", "warmup_connections", "auto_warmup_budget_fraction",
		"max_concurrent_warmup_connects", "transport", "stream_all_chunks", "worker_initialization_timeout",
		"worker_graceful_shutdown_wait", "worker_force_kill_timeout", "max_idle_time", "min_required_connections",
		"worker_gc_mode")
}
