// Package power computes the provisioned power of a system from its system_power.json, by appendix E of the rules of
// MLPerf Endpoints: the maximum power of its nodes, according to the manufacturers' figures or the defaults of appendix
// D.
//
// In scope: the descriptor, the rules. Out of scope: reading the system's description (check).
package power

import (
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/internal/schema"
)

// Fault is an invalid field of a descriptor.
type Fault = schema.Fault

// DefaultSource is the source type of a figure from appendix D.
const DefaultSource = "mlc_default"

// sourceTypes lists the source types of figures. The last one refers to appendix D.
var sourceTypes = []string{"vendor_spec", "publication", "public_statement", DefaultSource}

// sourcedFigure is the schema of a figure with its source.
func sourcedFigure(v any, at string, f *schema.Faults) any {
	fields := []schema.Field{
		{Name: "value_w", Kind: schema.FloatWithin(0, infinity), Nullable: true},
		{Name: "value_kw", Kind: schema.FloatWithin(0, infinity), Nullable: true},
		{Name: "value_pj", Kind: schema.FloatWithin(0, infinity), Nullable: true},
		{Name: "source_type", Kind: schema.Word(sourceTypes...), Required: true},
		{Name: "source", Kind: schema.LongText(1), Required: true},
	}
	return schema.ClosedObject(requireSource, fields...)(v, at, f)
}

func requireSource(r *schema.Record, at string, f *schema.Faults) {
	values := 0
	for _, name := range []string{"value_w", "value_kw", "value_pj"} {
		if r.Has(name) {
			values++
		}
	}
	source := r.Text("source")
	switch {
	case values != 1:
		f.Add(at, "want one of value_w, value_kw and value_pj, found %d", values)
	case r.Text("source_type") == DefaultSource:
		if source != "D.1" && source != "D.2" && source != "D.3" && source != "D.4" {
			f.Add(at, "the source of a default is D.1 to D.4, found %q", source)
		}
	case !strings.HasPrefix(source, "https://") && !strings.HasPrefix(source, "http://"):
		f.Add(at, "the source is %q, want the address of a public page", source)
	}
}

func optionalField(name string, kind schema.Kind) schema.Field {
	return schema.Field{Name: name, Kind: kind, Nullable: true}
}

func requiredField(name string, kind schema.Kind) schema.Field {
	return schema.Field{Name: name, Kind: kind, Required: true}
}

var descriptorForm = schema.Object(nil,
	requiredField("system_desc_id", schema.LongText(1)),
	requiredField("cooling", schema.Word("liquid", "air")),
	requiredField("node_sets", schema.List(1, schema.Object(nil,
		requiredField("node_set_id", schema.Int),
		requiredField("system_node_ensemble_id", schema.Int),
		requiredField("nodes_provisioned", schema.IntFrom(1)),
		requiredField("power_method", schema.Word("component_sum", "published_system", "node_scaling")),
		optionalField("published_power", sourcedFigure),
		optionalField("nodes_in_published_rack", schema.Int),
		optionalField("components", schema.Object(nil,
			optionalField("cpu", componentForm()),
			optionalField("accelerator", componentForm(optionalField("below_rated_tdp", schema.Map(schema.Any)))),
			optionalField("combined_cpu_accelerator", sourcedFigure),
			optionalField("scale_up_network", schema.Object(nil,
				requiredField("method", schema.Word("declared_tdp", "bandwidth_estimate", "none")),
				optionalField("switch_count", schema.IntFrom(0)),
				optionalField("tdp_per_switch", sourcedFigure),
				optionalField("aggregate_bandwidth_tbps", schema.FloatWithin(0, infinity)),
				optionalField("energy_per_bit_pj", sourcedFigure))))),
	))),
	requiredField("scale_out", schema.Object(nil,
		requiredField("present", schema.Bool),
		optionalField("cabling", schema.Word("passive", "active_optical")),
		optionalField("required_bandwidth_tbps", schema.FloatWithin(0, infinity)),
		optionalField("nics", schema.Object(nil,
			requiredField("count_per_node", schema.IntFrom(0)),
			requiredField("bandwidth_per_nic_gbps", schema.FloatWithin(0, infinity)),
			requiredField("counted", schema.Bool),
			optionalField("tdp_per_nic", sourcedFigure),
			optionalField("excluded_from_published_power", schema.Text))),
		optionalField("switches", schema.List(0, schema.Object(nil,
			requiredField("model", schema.Text),
			requiredField("count", schema.IntFrom(1)),
			requiredField("bandwidth_tbps", schema.FloatWithin(0, infinity)),
			optionalField("power_per_switch", sourcedFigure)))),
	)),
	optionalField("declared_provisioned_power", sourcedFigure),
	optionalField("computed", schema.Object(nil,
		optionalField("major_components_w", schema.Float),
		optionalField("overhead_fraction", schema.Float),
		optionalField("other_components_w", schema.Float),
		optionalField("published_node_power_w", schema.Float),
		optionalField("scale_out_switch_power_w", schema.Float),
		optionalField("total_system_power_w", schema.Float))),
	optionalField("provisioned_power_kw", schema.Float),
	optionalField("mlc_estimated_power", schema.Bool),
	optionalField("notes", schema.Text),
)

// componentForm returns the schema of a processor or an accelerator.
func componentForm(more ...schema.Field) schema.Kind {
	return schema.Object(nil, append([]schema.Field{
		optionalField("model", schema.Text),
		requiredField("count_per_node", schema.IntFrom(0)),
		optionalField("tdp_per_unit", sourcedFigure),
	}, more...)...)
}
