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

// Asked is what a configuration of another tool asks for, in the words of harness bench; Replays: in those of harness
// run, of a benchmark that replays recorded conversations.
type Asked struct {
	Replays bool
	Address string   // of the servers, with commas between them
	Flags   []string // each before its value, where it has one
	// Params are what a benchmark that replays has parameters for, by the keys of the configuration: their names are the
	// benchmark's (sdk.RoleReplay).
	Params []Param
	// Notes are what of the configuration has no effect here, a sentence each.
	Notes []string
}

// Param is what a configuration says of a key.
type Param struct{ Key, Value string }

// IsConfig says whether a text is meant to be a configuration of endpoints: it says where the servers are, as only
// that does.
func IsConfig(text []byte) bool {
	root, err := mapping(text)
	_, there := root["endpoint_config"]
	return err == nil && there
}

// Readable says why a text is no mapping in YAML, or none that is read; nil: it is one.
func Readable(text []byte) error {
	_, err := mapping(text)
	return err
}

// ReadConfig reads endpoints' config.yaml. Its error names all keys that endpoints does not have, all values that
// it would not take, and all that it has and harness bench has not.
func ReadConfig(text []byte) (*Asked, error) {
	root, err := mapping(text)
	if err != nil {
		return nil, err
	}
	c := &configured{Asked: &Asked{}}
	c.root(root)
	if err := errors.Join(c.faults...); err != nil {
		return nil, err
	}
	return c.Asked, nil
}

// deepest is how many mappings and lists may be in each other, and mostValues how many values a text may stand for.
const (
	deepest    = 50
	mostValues = 10_000
)

// mapping reads the one document of a YAML text.
func mapping(text []byte) (map[string]any, error) {
	if err := formats.CheckYAML(text, deepest, mostValues); err != nil {
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

// configured is a configuration that is read.
type configured struct {
	*Asked
	faults []error
	mode   string
	api    string
	idle   []string // keys without an effect
}

func (c *configured) fault(path, format string, args ...any) {
	c.faults = append(c.faults, fmt.Errorf("%s: %w", path, fmt.Errorf(format, args...)))
}

func (c *configured) flag(words ...string) { c.Flags = append(c.Flags, words...) }

const notHere = "harness bench has nothing like it; take it out"

func (c *configured) root(keys map[string]any) {
	s := section{configured: c, keys: keys}
	if s.replays() {
		c.replay(s)
		c.noteIdle()
		return
	}
	s.knows(rootKeys)
	c.mode = s.text("type")
	if c.mode != "offline" && c.mode != "online" {
		c.fault("type", "%s: want offline or online; accuracy and submissions are harness run's", c.mode)
	}
	s.absent("harness bench makes no submissions; take it out", "submission_ref", "benchmark_mode", "audit")
	s.absent("--duration and --grace bound a point; take it out", "timeout")
	s.ignores("version", "verbose", "enable_cpu_affinity")
	name := cmp.Or(s.text("name"), c.mode+"_benchmark")
	e := s.in("endpoint_config", "endpoints", "api_key", "api_type")
	c.endpoint(e)
	c.flag("--label", name)
	c.model(s.in("model_params", modelKeys...))
	c.data(s)
	c.settings(s.in("settings", settingsKeys...))
	c.key(e)
	c.flag("--api", c.api)
	if out := s.text("report_dir"); out != "" {
		c.flag("--out", out)
	}
	c.noteIdle()
}

func (c *configured) noteIdle() {
	if len(c.idle) > 0 {
		c.Notes = append(c.Notes, "without an effect here: "+strings.Join(c.idle, ", "))
	}
}

// The keys that endpoints has, by section.
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

// variable is how endpoints names an environment variable.
var variable = regexp.MustCompile(`^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$`)

// endpoint reads where the servers are.
func (c *configured) endpoint(s section) {
	all, _ := s.keys["endpoints"].([]any)
	var urls []string
	for i, v := range all {
		u, ok := v.(string)
		if !ok || !strings.HasPrefix(u, "http://") && !strings.HasPrefix(u, "https://") || strings.Contains(u, ",") {
			s.fault(fmt.Sprintf("%s[%d]", s.at("endpoints"), i), "want an address that begins with http:// or https://")
		}
		urls = append(urls, u)
	}
	if len(urls) == 0 {
		s.fault(s.at("endpoints"), "want a list of addresses")
	}
	c.Address = strings.Join(urls, ",")
	switch api := s.text("api_type"); api {
	case "", "openai":
		c.api = "chat"
	case "openai_completions":
		c.api = "completions"
	default:
		s.fault(s.at("api_type"), "%s: %s (it has openai and openai_completions)", api, notHere)
	}
}

// key is the flag of the API's key, which stands in an environment variable.
func (c *configured) key(s section) {
	text := s.text("api_key")
	switch m := variable.FindStringSubmatch(text); {
	case text == "":
	case m != nil:
		c.flag("--backend-opt", "key_env="+m[1])
	case text == redacted:
		s.fault(s.at("api_key"), "it was taken out when the file was written: want ${NAME} of an environment variable")
	default:
		s.fault(s.at("api_key"), "want ${NAME} of an environment variable: a key is not to stand in a file")
	}
}

// model reads what each request has.
func (c *configured) model(s section) {
	name := s.text("name")
	if name == "" {
		s.fault(s.at("name"), "want the model's name at the server")
	}
	c.flag("--model", name)
	for _, key := range []string{"temperature", "seed", "top_k", "top_p", "repetition_penalty", "presence_penalty",
		"frequency_penalty"} {
		if n, ok := s.number(key, -2, key == "seed" || key == "top_k"); ok {
			c.flag("--body", key+"="+plain(n))
		}
	}
	if v := s.keys["chat_template_kwargs"]; v != nil {
		text, err := json.Marshal(v)
		if _, ok := v.(map[string]any); !ok || err != nil {
			s.fault(s.at("chat_template_kwargs"), "%s, want a mapping", shown(v))
		}
		c.flag("--body", "chat_template_kwargs="+string(text))
	}
	c.lengths(s)
	c.stream(s)
	if t := s.text("tokenizer_name"); t != "" {
		if info, err := os.Stat(t); err == nil && !info.IsDir() {
			c.flag("--tokenizer", t)
		} else {
			s.Notes = append(s.Notes, s.at("tokenizer_name")+": tokens are counted by the server; a file of a tokenizer would "+
				"be --tokenizer")
		}
	}
}

// stream reads whether answers come in parts.
func (c *configured) stream(s section) {
	stream := s.text("streaming")
	switch {
	case stream == "" || stream == "auto":
		if stream = "on"; c.mode == "offline" {
			stream = "off"
		}
	case stream != "on" && stream != "off":
		s.fault(s.at("streaming"), "%s, want on, off or auto", shown(stream))
	}
	c.flag("--stream", stream)
}

// The lengths of endpoints where nobody says otherwise.
const (
	mostTokens  = 1024
	leastTokens = 1
)

// lengths reads how long answers may be.
func (c *configured) lengths(s section) {
	most, ok := s.number("max_new_tokens", 1, true)
	if !ok {
		most = mostTokens
	}
	field := "max_completion_tokens"
	if c.api == "completions" {
		field = "max_tokens"
	}
	c.flag("--body", field+"="+plain(most))
	if least, ok := s.number("min_new_tokens", 0, true); ok && least != leastTokens {
		if c.api != "completions" {
			s.fault(s.at("min_new_tokens"), "%s: want api_type openai_completions", plain(least))
		}
		c.flag("--body", "min_tokens="+plain(least))
	}
	if !s.truth("skip_special_tokens", true) {
		if c.api != "completions" {
			s.fault(s.at("skip_special_tokens"), "false: want api_type openai_completions")
		}
		c.flag("--body", "skip_special_tokens=false")
	}
	of := s.in("osl_distribution", "type", "mean", "std", "min", "max")
	if t := of.text("type"); t != "" && t != "original" {
		s.fault(s.at("osl_distribution"), "%s: lengths are the data's, or --osl without data; take it out", t)
	}
}

// datasets are those that are mappings.
func (c *configured) datasets(s section) iter.Seq[section] {
	return func(yield func(section) bool) {
		all, _ := s.keys["datasets"].([]any)
		for i, v := range all {
			d := section{configured: c, path: fmt.Sprintf("datasets[%d]", i)}
			keys, ok := v.(map[string]any)
			if !ok {
				s.fault(d.path, "%s, want a mapping", shown(v))
				continue
			}
			d.keys = keys
			d.knows(datasetKeys)
			if !yield(d) {
				return
			}
		}
	}
}

// data reads the one data set.
func (c *configured) data(s section) {
	measured := 0
	for d := range c.datasets(s) {
		if t := d.text("type"); t != "" && t != "performance" {
			s.fault(d.path, "type %s: harness bench scores nothing; take it out", t)
			continue
		}
		measured++
		d.file()
	}
	if measured != 1 {
		s.fault("datasets", "%d of type performance, want one", measured)
	}
}

// file reads what a data set is.
func (s section) file() {
	path := s.text("path")
	if path == "" {
		s.fault(s.at("path"), "%s: want the file; data sets by name alone are made by endpoints", shown(s.text("name")))
	}
	s.flag("--data", path)
	if f := s.text("format"); f != "" {
		s.flag("--format", f)
	}
	columns := section{configured: s.configured, path: s.at("parser")}
	switch v := s.keys["parser"].(type) {
	case nil:
	case map[string]any:
		columns.keys = v
	default:
		s.fault(columns.path, "%s, want a mapping", shown(v))
	}
	for _, field := range slices.Sorted(maps.Keys(columns.keys)) {
		s.flag("--column", field+"="+columns.text(field))
	}
	s.absent(notHere, "samples", "eval_method", "generate_params", "accuracy_config", "agentic_inference",
		"generation_config_override")
}

// The settings of endpoints where nobody says otherwise.
const (
	lasts   = 600_000 // ms
	drains  = 240     // s
	aSeed   = 42
	perSec  = 1000 // ms
	endless = 0
)

func (c *configured) settings(s section) {
	c.load(s)
	r := s.in("runtime", runtimeKeys...)
	seed, other := r.seed("scheduler_random_seed"), r.seed("dataloader_random_seed")
	if r.keys["dataloader_random_seed"] != nil && other != seed {
		r.fault(r.at("dataloader_random_seed"), "%v: there is one seed for times and prompts here; want it as "+
			"scheduler_random_seed, %v", other, seed)
	}
	c.flag("--seed", seed)
	c.warmUp(s.in("warmup", warmupKeys...))
	d := s.in("drain", "warmup_timeout_s", "performance_timeout_s", "accuracy_timeout_s", "metrics_drain_timeout_s",
		"metrics_tokenizer_workers")
	grace, ok := d.number("performance_timeout_s", 0, false)
	if !ok {
		grace = drains
	}
	c.flag("--grace", plain(grace)+"s")
	d.ignores("warmup_timeout_s", "accuracy_timeout_s", "metrics_drain_timeout_s", "metrics_tokenizer_workers")
	c.connection(s.in("client", clientKeys...))
	s.in("profiling", "engine", "urls").absent(notHere, "engine", "urls")
	s.in("early_stopping", "enabled").ignores("enabled")
	s.ignores("service_ready_timeout_s")
}

// load reads when requests are sent, and how many.
func (c *configured) load(s section) {
	p := s.in("load_pattern", loadKeys...)
	kind := cmp.Or(p.text("type"), "max_throughput")
	qps, rated := p.number("target_qps", math.SmallestNonzeroFloat64, false)
	users, crowd := p.number("target_concurrency", 1, true)
	wanted := map[string]string{"offline": "max_throughput", "online": "poisson or concurrency"}[c.mode]
	if wanted != "" && !slices.Contains(strings.Split(wanted, " or "), kind) &&
		slices.Contains([]string{"max_throughput", "poisson", "concurrency"}, kind) {
		p.fault(p.at("type"), "%s: want %s where type is %s", kind, wanted, c.mode)
	}
	switch kind {
	case "max_throughput":
		c.flag("--max")
	case "poisson":
		if !rated {
			p.fault(p.at("target_qps"), "want requests per second, above 0")
		}
		c.flag("--rate", plain(qps))
	case "concurrency":
		if !crowd {
			p.fault(p.at("target_concurrency"), "want how many requests are under way, from 1 on")
		}
		c.flag("--concurrency", plain(users))
	default:
		p.fault(p.at("type"), "%s: %s (it has max_throughput, poisson and concurrency)", kind, notHere)
	}
	p.ignores("use_legacy_loadgen_qps_metrics")
	c.ends(s, kind, qps)
}

// ends reads how long requests are sent. All at once there are as many as the rate would make in the time.
func (c *configured) ends(s section, kind string, qps float64) {
	r := section{configured: c, path: s.at("runtime")}
	r.keys, _ = s.keys["runtime"].(map[string]any)
	least, most := r.millis("min_duration_ms", lasts), r.millis("max_duration_ms", endless)
	if most != endless && most < least {
		r.fault(r.at("max_duration_ms"), "%v ms, want no less than min_duration_ms, %v", most, least)
	}
	n, given := r.number("n_samples_to_issue", 1, true)
	switch {
	case given:
	case kind == "max_throughput" && qps > 0 && least > 0:
		n, given = math.Ceil(qps*least/perSec), true
	case kind != "max_throughput" && least > 0:
		most = least
	}
	if given {
		c.flag("--requests", plain(n))
	}
	if most > 0 {
		c.flag("--duration", plain(most)+"ms")
	}
}

func (c *configured) warmUp(s section) {
	n, given := s.number("n_requests", 1, true)
	switch {
	case !s.truth("enabled", false):
		n = 0
	case !given:
		s.fault(s.at("n_requests"), "want how many requests warm up")
	}
	c.flag("--warmup", plain(n))
	s.ignores("salt", "drain", "warmup_random_seed")
}

// connection reads what there is of the client's own settings.
func (c *configured) connection(s section) {
	if s.truth("insecure", false) {
		c.flag("--backend-opt", "insecure=true")
	}
	if n, ok := s.number("max_connections", -1, true); ok && n > 0 {
		s.fault(s.at("max_connections"), "%v: there is no such limit here; take it out, or want %v users by "+
			"target_concurrency", n, n)
	}
	s.ignores("num_workers", "log_level", "warmup_connections", "auto_warmup_budget_fraction",
		"max_concurrent_warmup_connects", "transport", "stream_all_chunks", "worker_initialization_timeout",
		"worker_graceful_shutdown_wait", "worker_force_kill_timeout", "max_idle_time", "min_required_connections",
		"worker_gc_mode")
}
