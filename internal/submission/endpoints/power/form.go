// Package power computes the provisioned power of a system from its system_power.json, by appendix E of the rules of
// MLPerf Endpoints: the power that its nodes are built to draw, by the makers' figures or the defaults of appendix D.
//
// In: the descriptor, the rules. Out: reading the system's description (check).
package power

import (
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/internal/schema"
)

// Fault is a field of a descriptor that is wrong.
type Fault = schema.Fault

// sources are the kinds of references that a figure may have; the last one names a part of appendix D.
var sources = []string{"vendor_spec", "publication", "public_statement", "mlc_default"}

// sourced is a figure with the reference behind it.
func sourced(v any, at string, f *schema.Faults) any {
	fields := []schema.Field{
		{Name: "value_w", Kind: schema.FloatWithin(0, inf), Null: true},
		{Name: "value_kw", Kind: schema.FloatWithin(0, inf), Null: true},
		{Name: "value_pj", Kind: schema.FloatWithin(0, inf), Null: true},
		{Name: "source_type", Kind: schema.Word(sources...), Required: true},
		{Name: "source", Kind: schema.LongText(1), Required: true},
	}
	return schema.Closed(requireSource, fields...)(v, at, f)
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
	case r.Text("source_type") == "mlc_default":
		if source != "D.1" && source != "D.2" && source != "D.3" && source != "D.4" {
			f.Add(at, "the source of a default is D.1 to D.4, found %q", source)
		}
	case !strings.HasPrefix(source, "https://") && !strings.HasPrefix(source, "http://"):
		f.Add(at, "the source is %q, want the address of a public page", source)
	}
}

func optional(name string, kind schema.Kind) schema.Field {
	return schema.Field{Name: name, Kind: kind, Null: true}
}

func required(name string, kind schema.Kind) schema.Field {
	return schema.Field{Name: name, Kind: kind, Required: true}
}

var descriptor = schema.Object(nil,
	required("system_desc_id", schema.LongText(1)),
	required("cooling", schema.Word("liquid", "air")),
	required("node_sets", schema.List(1, schema.Object(nil,
		required("node_set_id", schema.Int),
		required("system_node_ensemble_id", schema.Int),
		required("nodes_provisioned", schema.IntFrom(1)),
		required("power_method", schema.Word("component_sum", "published_system", "node_scaling")),
		optional("published_power", sourced),
		optional("nodes_in_published_rack", schema.Int),
		optional("components", schema.Object(nil,
			optional("cpu", part()),
			optional("accelerator", part(optional("below_rated_tdp", schema.Map(schema.Any)))),
			optional("combined_cpu_accelerator", sourced),
			optional("scale_up_network", schema.Object(nil,
				required("method", schema.Word("declared_tdp", "bandwidth_estimate", "none")),
				optional("switch_count", schema.IntFrom(0)),
				optional("tdp_per_switch", sourced),
				optional("aggregate_bandwidth_tbps", schema.FloatWithin(0, inf)),
				optional("energy_per_bit_pj", sourced))))),
	))),
	required("scale_out", schema.Object(nil,
		required("present", schema.Bool),
		optional("cabling", schema.Word("passive", "active_optical")),
		optional("required_bandwidth_tbps", schema.FloatWithin(0, inf)),
		optional("nics", schema.Object(nil,
			required("count_per_node", schema.IntFrom(0)),
			required("bandwidth_per_nic_gbps", schema.FloatWithin(0, inf)),
			required("counted", schema.Bool),
			optional("tdp_per_nic", sourced),
			optional("excluded_from_published_power", schema.Text))),
		optional("switches", schema.List(0, schema.Object(nil,
			required("model", schema.Text),
			required("count", schema.IntFrom(1)),
			required("bandwidth_tbps", schema.FloatWithin(0, inf)),
			optional("power_per_switch", sourced)))),
	)),
	optional("declared_provisioned_power", sourced),
	optional("computed", schema.Object(nil,
		optional("major_components_w", schema.Float),
		optional("overhead_fraction", schema.Float),
		optional("other_components_w", schema.Float),
		optional("published_node_power_w", schema.Float),
		optional("scale_out_switch_power_w", schema.Float),
		optional("total_system_power_w", schema.Float))),
	optional("provisioned_power_kw", schema.Float),
	optional("mlc_estimated_power", schema.Bool),
	optional("notes", schema.Text),
)

// part is a processor or an accelerator.
func part(more ...schema.Field) schema.Kind {
	return schema.Object(nil, append([]schema.Field{
		optional("model", schema.Text),
		required("count_per_node", schema.IntFrom(0)),
		optional("tdp_per_unit", sourced),
	}, more...)...)
}
