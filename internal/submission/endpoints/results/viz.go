package results

import (
	"fmt"
	"io"
	"math"
	"math/big"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/check"
)

// The format of the bundle that mlperf-viz 2.0.0 exports. It contains an entry for each curve and the figures of each
// point.
const (
	bundleVersion = int64(1)
	bundleFormat  = "1.0"
)

// WriteViz writes the bundle with the creation time at. Numbers that are not finite become null.
func (r *Results) WriteViz(w io.Writer, at time.Time) error {
	var warnings, entries, runs []any
	for _, c := range r.Curves {
		place := path.Join(r.Organisation, r.Submission, c.System, c.Model)
		id := identifier(place)
		described := false
		for i, p := range c.source {
			if p.Summary == nil {
				warnings = append(warnings, place+"/"+p.Name+": "+summaryMissing)
				continue
			}
			if p.System == nil {
				warnings = append(warnings, place+"/"+p.Name+": system_desc.json is missing or cannot be read")
			}
			if !described {
				described = true
				entry, dropped := curveEntry(p, id)
				for _, text := range dropped {
					warnings = append(warnings, place+": "+text)
				}
				entries = append(entries, newObject("id", id, "source_path", place, "combined_submission", entry))
			}
			runs = append(runs, newObject("submission_id", id, "label", p.Name, "run",
				newObject("direct_fields", copiedFields(p), "derived_fields", derivedFields(c.Points[i], p))))
		}
		if !described {
			warnings = append(warnings, place+": no point has results that can be read")
		}
	}
	bundle := newObject("bundle_version", bundleVersion, "format_version", bundleFormat,
		"generated_at", at.UTC().Format("2006-01-02T15:04:05-07:00"), "source_root", ".", "warnings", warnings,
		"submissions", entries, "runs", runs)
	_, err := io.WriteString(w, pyvalue.JSON(toJSONValue(bundle))+"\n")
	return err
}

var unsafeCharacters = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// identifier returns the identifier of a curve at a place.
func identifier(place string) string {
	return strings.Trim(unsafeCharacters.ReplaceAllString(strings.ReplaceAll(place, "/", "-"), "-"), "-")
}

// newObject returns an object with alternating keys and values.
func newObject(keysAndValues ...any) *pyvalue.Dict {
	d := pyvalue.NewDict()
	for i := 0; i < len(keysAndValues); i += 2 {
		d.Set(keysAndValues[i].(string), keysAndValues[i+1])
	}
	return d
}

// toJSONValue converts a value to JSON. Numbers that are not finite become null. Values without a JSON form, such as
// dates, become texts.
func toJSONValue(v any) any {
	switch v := v.(type) {
	case nil, bool, string, int64, *big.Int:
		return v
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		return v
	case []any:
		all := make([]any, len(v))
		for i, inner := range v {
			all[i] = toJSONValue(inner)
		}
		return all
	case *pyvalue.Dict:
		d := pyvalue.NewDict()
		for _, key := range v.Keys() {
			inner, _ := v.Get(key)
			d.Set(key, toJSONValue(inner))
		}
		return d
	}
	return fmt.Sprint(v)
}

// isEmpty reports whether a value is missing or an empty text.
func isEmpty(v any) bool { return v == nil || v == "" }

// firstNonEmpty returns the value of the first key that is not empty.
func firstNonEmpty(d *pyvalue.Dict, keys ...string) any {
	for _, key := range keys {
		if v, _ := d.Get(key); !isEmpty(v) {
			return v
		}
	}
	return nil
}

// firstTrue returns the value of the first key that is true in Python.
func firstTrue(d *pyvalue.Dict, keys ...string) any {
	for _, key := range keys {
		if v, _ := d.Get(key); pyvalue.IsTrue(v) {
			return v
		}
	}
	return nil
}

// curveEntry returns the entry of a curve: the data of its first point on the system, the model and the data set.
// dropped lists the data that it omits.
func curveEntry(p check.Point, id string) (entry *pyvalue.Dict, dropped []string) {
	from := func(get func(key string) any, keys ...string) *pyvalue.Dict {
		d := pyvalue.NewDict()
		for _, key := range keys {
			d.Set(key, get(key))
		}
		return d
	}
	system := func(key string) any {
		v, _ := p.System.Get(key)
		return v
	}
	merged := func(key string) any {
		if v, _ := p.Config.Get(key); !isEmpty(v) {
			return v
		}
		return system(key)
	}
	info := from(system, "submitter_org_names", "submitter_contact", "submission_id", "submitted_submission_id",
		"submission_date", "publish_date")
	info.Set("submitted_submission_id", system("submission_id"))
	info.Set("submission_id", id)
	kind := from(system, "system_name", "system_category")
	kind.Set("system_availability_status", firstNonEmpty(p.System, "publication_status", "system_availability_status",
		"availability_status"))
	kind.Set("system_type_detail", firstTrue(p.System, "system_type_detail", "system_type"))
	details := from(system, "system_size", "system_node_ensemble_count", "system_node_ensemble_total",
		"max_supported_concurrency", "serving_framework", "endpoint_url")
	details.Set("max_supported_concurrency", merged("max_supported_concurrency"))
	nodes, dropped := flattenNodes(system("node_types"))
	details.Set("node_types", nodes)
	data := from(merged, "dataset_id", "dataset_name", "input_token_average", "output_token_average", "dataset_type",
		"dataset_link")
	if !pyvalue.IsTrue(merged("dataset_name")) {
		v, _ := p.Config.Get("dataset")
		data.Set("dataset_name", v)
	}
	data.Set("measured_accuracy_score", scoreText(merged("measured_accuracy_score")))
	return newObject("submission_info", info, "sut_metadata", kind, "sut_details", details, "model_metadata",
		from(merged, "division", "model_id", "model_name", "model_precision", "link_to_model",
			"link_to_model_transformation", "model_notes"), "datasets_metadata", data), dropped
}

// acceleratorFields lists the fields that a node can also contain directly.
var acceleratorFields = []string{"accelerator_model_name", "accelerators_per_node", "accelerator_memory_capacity",
	"accelerator_memory_type", "accelerator_interconnect", "accelerator_host_interconnect"}

// flattenNodes returns the nodes with the fields of their first type of accelerator copied into them.
func flattenNodes(v any) (nodes []any, dropped []string) {
	list, _ := v.([]any)
	for i, one := range list {
		node, ok := one.(*pyvalue.Dict)
		if !ok {
			continue
		}
		flat := pyvalue.NewDict()
		for _, key := range node.Keys() {
			inner, _ := node.Get(key)
			flat.Set(key, inner)
		}
		info, _ := pyvalue.Field[[]any](node, "accelerator_info")
		if len(info) > 1 {
			dropped = append(dropped, fmt.Sprintf("node_types[%d] has %d kinds of accelerators, of which the first is shown",
				i, len(info)))
		}
		if len(info) > 0 {
			of, _ := info[0].(*pyvalue.Dict)
			for _, key := range acceleratorFields {
				if own, _ := flat.Get(key); isEmpty(own) {
					if inner, _ := of.Get(key); inner != nil {
						flat.Set(key, inner)
					}
				}
			}
		}
		nodes = append(nodes, flat)
	}
	return nodes, dropped
}
