package check

import (
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/internal/schema"
)

func requiredField(name string, kind schema.Kind) schema.Field {
	return schema.Field{Name: name, Kind: kind, Required: true}
}

// optionalField returns a field that may be missing or null.
func optionalField(name string, kind schema.Kind) schema.Field {
	return schema.Field{Name: name, Kind: kind, Nullable: true}
}

// presetField returns a field that may be missing but not null.
func presetField(name string, kind schema.Kind) schema.Field {
	return schema.Field{Name: name, Kind: kind}
}

func optionalFields(kind schema.Kind, names ...string) (fields []schema.Field) {
	for _, name := range names {
		fields = append(fields, optionalField(name, kind))
	}
	return fields
}

// disclosedFields lists the fields of point.yaml that must not be empty.
var disclosedFields = []string{"division", "max_supported_concurrency", "model_name", "model_precision",
	"link_to_model",
	"dataset_name", "dataset_type", "dataset_link", "shared_src", "shared_docs", "seed_set", "target_cohort"}

// pointForm is the schema of point.yaml.
var pointForm = schema.Object(nil, slices.Concat(
	[]schema.Field{
		requiredField("concurrency", schema.Int),
		presetField("dataset", schema.Text),
		requiredField("runtime_settings", schema.Object(nil,
			presetField("load_pattern", schema.Text),
			presetField("min_duration_ms", schema.Int),
			optionalField("min_sample_count", schema.Int),
			presetField("stream_all_chunks", schema.Bool),
			requiredField("runtime", schema.Object(nil, optionalFields(schema.Int, "scheduler_rng_seed", "sample_index_rng_seed",
				"model_seed", "scheduler_random_seed", "dataloader_random_seed")...)),
			optionalField("warmup", schema.Object(nil, optionalField("salt", schema.Bool))))),
		optionalField("warmup", schema.Object(requireWarmup,
			requiredField("duration_s", schema.FloatWithin(0, 86400)),
			requiredField("requests_issued", schema.IntFrom(0)),
			requiredField("requests_completed", schema.IntFrom(0)),
			requiredField("data_source", schema.LongText(1)),
			requiredField("concurrency", schema.IntFrom(0)),
			presetField("initialization_steps", schema.List(0, schema.Text)),
			optionalField("logs_retained", schema.Bool),
			optionalField("link_logs", schema.Text))),
		optionalField("max_supported_concurrency", schema.Int),
		optionalField("steady_state", schema.Object(nil,
			optionalField("status", schema.Text),
			optionalField("verdict", schema.Text),
			presetField("window", schema.Object(nil, append(optionalFields(schema.Int, "super_pass_start", "super_pass_end",
				"super_pass_size", "n_samples"), optionalField("duration_s", schema.Float))...)),
			presetField("state", schema.Map(schema.Text)))),
		optionalField("speculative_decoding", schema.Map(schema.Any)),
		optionalField("nodes_used", schema.List(0, schema.Object(nil,
			requiredField("system_node_ensemble_id", schema.Int), requiredField("nodes", schema.Int)))),
		optionalField("dp_shortfall", schema.Object(nil,
			requiredField("dp_actual", schema.Int), requiredField("dp_formula", schema.Int), requiredField("reason",
				schema.LongText(1)))),
	},
	optionalFields(schema.Text, "region", "division", "model_name", "model_precision", "link_to_model",
		"link_to_model_transformation", "model_notes", "dataset_name", "dataset_type", "dataset_link", "offline",
		"shared_src",
		"shared_docs", "seed_set", "target_cohort"),
)...)

func requireWarmup(r *schema.Record, at string, f *schema.Faults) {
	switch {
	case r.Int("requests_completed") > r.Int("requests_issued"):
		f.Add(at, "requests_completed is %d, more than the %d of requests_issued", r.Int("requests_completed"),
			r.Int("requests_issued"))
	case r.Int("concurrency") == 0 && !declaresNoWarmup(r):
		f.Add(at, "concurrency is 0, but there was a warm-up")
	}
}

// declaresNoWarmup reports whether a declaration states that there was no warm-up.
func declaresNoWarmup(r *schema.Record) bool {
	return r.Float("duration_s") == 0 && r.Int("requests_issued") == 0 && r.Int("requests_completed") == 0
}

// statisticsForm is the schema of a metric's statistics.
var statisticsForm = schema.Object(nil, presetField("total", schema.Float),
	presetField("percentiles", percentileValues))

// percentileValues is the schema of values by percentile. Keys are numbers as texts; "90" and "90.0" are equal.
func percentileValues(v any, at string, f *schema.Faults) any {
	before := len(*f)
	all, _ := schema.Map(schema.Float)(v, at, f).(map[string]any)
	if len(*f) > before {
		return nil
	}
	d, _ := v.(*pyvalue.Dict)
	out := map[string]any{}
	for _, key := range d.Keys() {
		p, ok := pyfloat.Parse(key)
		if !ok || !(p >= 0 && p <= 100) {
			f.Add(at, "the key %q is no percentile from 0 to 100", key)
			return nil
		}
		name := pyfloat.Repr(p)
		if p == math.Trunc(p) {
			name = strconv.Itoa(int(p))
		}
		if had, twice := out[name]; twice && had != all[key] {
			f.Add(at, "percentile %s has two values", name)
			return nil
		}
		out[name] = all[key]
	}
	return out
}

// summaryForm is the schema of result_summary.json.
var summaryForm = schema.Object(nil,
	presetField("n_samples_issued", schema.Int),
	requiredField("n_samples_completed", schema.Int),
	presetField("n_samples_failed", schema.Int),
	requiredField("duration_ns", schema.Float),
	presetField("ttft", statisticsForm),
	presetField("tpot", statisticsForm),
	presetField("output_sequence_lengths", statisticsForm),
	presetField("latency", statisticsForm),
	optionalField("output_tokens_per_turn_total", schema.Float),
	optionalField("e2e_turn_time_seconds_total", schema.Float),
)

// wordForm returns a schema for one of several words, in any case of letters and with surrounding blanks.
func wordForm(words ...string) schema.Kind {
	return func(v any, at string, f *schema.Faults) any {
		text, _ := v.(string)
		for _, word := range words {
			if strings.EqualFold(strings.TrimSpace(text), word) {
				return word
			}
		}
		return schema.Word(words...)(v, at, f)
	}
}

// nodeForm is the schema of a node type in system_desc.json.
var nodeForm = func() schema.Kind {
	accelerator := schema.Object(nil, append(optionalFields(schema.Text, "accelerator_model_name",
		"accelerator_memory_capacity",
		"accelerator_memory_type", "accelerator_interconnect", "accelerator_host_interconnect"),
		optionalField("accelerators_per_node", schema.Int))...)
	form := schema.Object(requireCores, slices.Concat(
		optionalFields(schema.Int, "number_of_nodes", "host_processors_per_node", "host_processor_core_count",
			"host_processor_vcpu_count", "system_node_ensemble_id"),
		optionalFields(schema.Text, "host_processor_model_name", "host_memory_capacity", "host_networking",
			"host_storage_capacity", "host_storage_type", "other_hardware", "hw_notes", "cooling", "inference_backend",
			"operating_system", "container_link", "other_software_stack", "sw_notes"),
		[]schema.Field{
			requiredField("host_memory_configuration", schema.Text), requiredField("host_network_card_count", schema.Text),
			requiredField("driver", schema.Text), requiredField("filesystem", schema.Text),
			presetField("accelerator_info", schema.List(0, accelerator)),
		})...)
	return func(v any, at string, f *schema.Faults) any { return form(liftAccelerator(v), at, f) }
}()

// liftAccelerator moves accelerator fields from the node into accelerator_info, because round v0.7 had them in the
// node.
func liftAccelerator(v any) any {
	node, ok := v.(*pyvalue.Dict)
	if info, _ := node.Get("accelerator_info"); !ok || pyvalue.IsTrue(info) {
		return v
	}
	flat := pyvalue.NewDict()
	for _, name := range []string{"accelerator_model_name", "accelerators_per_node", "accelerator_memory_capacity",
		"accelerator_memory_type", "accelerator_interconnect", "accelerator_host_interconnect"} {
		if value, _ := node.Get(name); value != nil {
			flat.Set(name, value)
		}
	}
	if len(flat.Keys()) == 0 {
		return v
	}
	return withKey(node, "accelerator_info", []any{flat})
}

// withKey returns a copy of an object with a new value of one key.
func withKey(d *pyvalue.Dict, key string, v any) *pyvalue.Dict {
	c := pyvalue.NewDict()
	for _, k := range d.Keys() {
		value, _ := d.Get(k)
		c.Set(k, value)
	}
	c.Set(key, v)
	return c
}

func requireCores(r *schema.Record, at string, f *schema.Faults) {
	if !r.Has("host_processor_core_count") && !r.Has("host_processor_vcpu_count") {
		f.Add(at, "want host_processor_core_count or host_processor_vcpu_count")
	}
}

// availabilities lists the names of a system's availability field, starting with the rules' present name.
var availabilities = []string{"system_availability_status", "publication_status", "availability_status"}

// systemForm returns the schema of system_desc.json.
func systemForm(maxCMin int) schema.Kind {
	form := schema.Object(requireAvailability, slices.Concat(
		[]schema.Field{
			requiredField("system_name", schema.Text),
			requiredField("system_availability_status", wordForm("Available", "Preview", "RDI")),
			optionalField("availability_url", nilIfBlank(schema.Text)),
			optionalField("target_availability_date", nilIfBlank(isoDate)),
			requiredField("max_supported_concurrency", schema.Int),
			{Name: "c_min_override", Kind: cMinForm(maxCMin), Nullable: true, PassesNull: true},
			requiredField("system_size", schema.Text),
			requiredField("system_node_ensemble_count", schema.Int),
			requiredField("system_node_ensemble_total", schema.Int),
			requiredField("shortened_system_name", shortName),
			requiredField("node_types", schema.List(0, nodeForm)),
			optionalField("config_summary", schema.Union(schema.Object(nil, append(optionalFields(schema.Int, parallelism...),
				optionalField("disaggregated", schema.Bool), optionalField("batch", schema.Int))...), schema.LongText(4))),
			optionalField("disaggregated", schema.Bool),
			optionalField("batch", schema.Int),
			optionalField("tps_utilization", schema.Float),
			requiredField("division", wordForm("Standardized", "Serviced", "RDI")),
			optionalField("input_token_average", schema.Float),
			optionalField("output_token_average", schema.Float),
			optionalField("measured_accuracy_score", accuracyScore),
		},
		optionalFields(schema.Int, parallelism...),
		optionalFields(schema.Text, "submitter_org_names", "submitter_contact", "submission_id", "submission_date",
			"publish_date",
			"system_category", "serving_framework", "endpoint_url", "node_config", "config_summary_notes", "link_config",
			"model_precision", "link_to_model", "link_to_model_transformation", "model_notes", "dataset_id", "dataset_name",
			"dataset_type", "dataset_link"),
	)...)
	return func(v any, at string, f *schema.Faults) any {
		d, ok := v.(*pyvalue.Dict)
		if !ok {
			return form(v, at, f)
		}
		reconciled, ok := reconcileAvailability(d, at, f)
		if !ok {
			return nil
		}
		return form(reconciled, at, f)
	}
}

// parallelism lists the fields that describe the division of a model.
var parallelism = []string{"tensor_parallel", "pipeline_parallel", "expert_parallel", "data_parallel"}

// reconcileAvailability accepts older names of the availability field if their values do not contradict each other.
func reconcileAvailability(d *pyvalue.Dict, at string, f *schema.Faults) (*pyvalue.Dict, bool) {
	var first any
	distinct := map[string]bool{}
	for _, name := range availabilities {
		if v, _ := d.Get(name); v != nil && v != "" {
			if first == nil {
				first = v
			}
			distinct[strings.ToLower(strings.TrimSpace(pyvalue.Text(v)))] = true
		}
	}
	if len(distinct) > 1 {
		f.Add(at, "%s contradict one another: keep system_availability_status", listNames(availabilities))
		return nil, false
	}
	if own, _ := d.Get(availabilities[0]); first != nil && (own == nil || own == "") {
		return withKey(d, availabilities[0], first), true
	}
	return d, true
}

func requireAvailability(r *schema.Record, at string, f *schema.Faults) {
	switch status := r.Text("system_availability_status"); {
	case status == "Available" && !r.Has("availability_url"):
		f.Add(at, "a system that is Available needs availability_url")
	case status == "Preview" && !r.Has("target_availability_date"):
		f.Add(at, "a system that is in Preview needs target_availability_date")
	}
}

// nilIfBlank returns a schema that treats a blank text as missing.
func nilIfBlank(kind schema.Kind) schema.Kind {
	return func(v any, at string, f *schema.Faults) any {
		if text, ok := v.(string); ok && strings.TrimSpace(text) == "" {
			return nil
		}
		return kind(v, at, f)
	}
}

var dateForm = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)

func isoDate(v any, at string, f *schema.Faults) any {
	text, ok := schema.Text(v, at, f).(string)
	if !ok {
		return nil
	}
	if _, err := time.Parse(time.DateOnly, text); err != nil || !dateForm.MatchString(text) || strings.HasPrefix(text,
		"0000") {
		f.Add(at, "want a date such as 2026-10-12, found %s", schema.BriefText(v))
		return nil
	}
	return text
}

// maxShortName is the maximum length of a system's short name in characters.
const maxShortName = 20

func shortName(v any, at string, f *schema.Faults) any {
	text, ok := schema.Text(v, at, f).(string)
	switch {
	case !ok:
		return nil
	case strings.TrimSpace(text) == "":
		f.Add(at, "want a name, found none")
		return nil
	case len([]rune(text)) > maxShortName:
		f.Add(at, "want at most %d characters, found %d", maxShortName, len([]rune(text)))
		return nil
	}
	return text
}

// cMinForm returns the schema of c_min_override, a whole number of 1 to most without decimals.
func cMinForm(most int) schema.Kind {
	return func(v any, at string, f *schema.Faults) any {
		if n, ok := wholeNumber(v); ok && n >= 1 && n <= most {
			return big.NewInt(int64(n))
		}
		f.Add(at, "want a whole number from 1 to %d, found %s", most, schema.BriefText(v))
		(*f)[len(*f)-1].Section = sectionCMin
		return nil
	}
}

// accuracyScore is the schema of a text, a number, or scores by data set.
func accuracyScore(v any, at string, f *schema.Faults) any {
	if v == "" {
		return nil
	}
	return schema.Union(schema.Text, schema.Float, schema.Map(schema.Object(nil,
		requiredField("scores", schema.Map(schema.StrictFloat)))))(v, at, f)
}
