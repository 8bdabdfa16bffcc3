package power

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/internal/schema"
)

var infinity = math.Inf(1)

// The overhead of all other components, as a share of the major components' power.
const (
	LiquidOverhead = 0.30
	AirOverhead    = 0.50
)

// OverheadOf returns the overhead for a description of the cooling. If the text names both liquid and air, liquid
// counts. It returns 0 if the text names neither.
func OverheadOf(cooling string) float64 {
	text := strings.ToLower(cooling)
	for _, word := range []string{"liquid", "water", "immersion"} {
		if strings.Contains(text, word) {
			return LiquidOverhead
		}
	}
	if strings.Contains(text, "air") {
		return AirOverhead
	}
	return 0
}

// Descriptor is a valid system_power.json.
type Descriptor struct{ record *schema.Record }

// ParseDescriptor checks a value of package pyvalue against the schema of a descriptor.
func ParseDescriptor(v any) (*Descriptor, []Fault) {
	var faults schema.Faults
	r, _ := descriptorForm(v, "", &faults).(*schema.Record)
	if len(faults) > 0 {
		return nil, faults
	}
	return &Descriptor{r}, nil
}

// Cooling returns "liquid" or "air".
func (d *Descriptor) Cooling() string { return d.record.Text("cooling") }

// Overhead returns the overhead for the cooling.
func (d *Descriptor) Overhead() float64 { return OverheadOf(d.Cooling()) }

// NodeSet is a set of equal nodes with its share of the power.
type NodeSet struct {
	ID                  int
	Ensemble            int // node type in the system's description
	Nodes               int // provisioned nodes, 1 or more
	Watts               float64
	AcceleratorsPerNode int // -1: not in the descriptor
}

// Computation is the power that the rules compute from a descriptor, in watts. KW is the provisioned power in kW,
// rounded to two decimals. Known is false if the descriptor does not determine it.
type Computation struct {
	Major      float64
	Overhead   float64 // share of Major
	Other      float64
	Published  float64 // nodes with a published total from their manufacturers
	Switches   float64 // switches of the scale-out network
	KW         float64
	IsKnown    bool
	Sets       []NodeSet
	IsDeclared bool // a declared figure replaces the computed power of the whole system

	Figures   []Figure // components of KW in the order of the descriptor
	Estimated []string // values of appendix D included in KW
	Problems  []string
	Warnings  []string
}

// Figure is a component of the power with its source.
type Figure struct {
	Name  string  `json:"figure"` // path in the descriptor, such as "node_sets[0].components.cpu.tdp_per_unit"
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`        // W, or pJ per bit
	Kind  string  `json:"source_type"` // source type in the descriptor; mlc_default also if the figure is missing
	// Source is the address of a page, or a section of appendix D.
	Source string `json:"source"`
}

// String returns a figure with its source in words.
func (f Figure) String() string {
	return fmt.Sprintf("%s: %s %s (%s, %s)", f.Name, strconv.FormatFloat(f.Value, 'f', -1, 64), f.Unit, f.Kind, f.Source)
}

// addFigure records a figure that counts.
func (t *powerTally) addFigure(name string, value float64, unit string, v *schema.Record) {
	t.out.Figures = append(t.out.Figures, Figure{name, value, unit, v.Text("source_type"), v.Text("source")})
}

// Total returns the sum of the terms without rounding.
func (c *Computation) Total() float64 { return c.Major + c.Other + c.Published + c.Switches }

// PointKW returns the power in kW of a point that uses the given number of nodes of each set. It uses all nodes of a
// set that is not in the map. A declared figure is scaled by the largest used share of a set. ok is false if the power
// is unknown.
func (c *Computation) PointKW(nodes map[int]int) (kw float64, ok bool) {
	if !c.IsKnown {
		return 0, false
	}
	whole, largest, watts, engaged, provisioned := true, 0.0, 0.0, 0.0, 0.0
	for _, s := range c.Sets {
		share := 1.0
		if n, named := nodes[s.ID]; named {
			share = float64(n) / float64(s.Nodes)
		}
		whole, largest = whole && share == 1, max(largest, share)
		watts += s.Watts * share
		engaged += float64(s.Nodes) * share
		provisioned += float64(s.Nodes)
	}
	switch {
	case whole:
		return c.KW, true
	case c.IsDeclared:
		return roundCents(c.KW * largest), true
	}
	return roundCents((watts + c.Switches*engaged/provisioned) / 1000), true
}

// roundCents rounds like Python's round(x, 2).
func roundCents(x float64) float64 { return pyfloat.Round(x, 2) }

// powerTally collects remarks on the figures while they are added.
type powerTally struct {
	rules     *endpoints.Rules
	cores     map[int]int
	estimated []string
	missing   []string // missing figures, which matter only if they affect the total
	problems  []string
	out       *Computation
}

func (t *powerTally) addProblemf(format string, args ...any) {
	t.problems = append(t.problems, fmt.Sprintf(format, args...))
}

// wattsOf returns a figure in watts or kW as watts.
func wattsOf(v *schema.Record) float64 {
	if v.Has("value_kw") {
		return v.Float("value_kw") * 1000
	}
	return v.Float("value_w")
}

// addWatts returns a figure in watts, or else its default. ok is false if neither exists.
func (t *powerTally) addWatts(label string, v *schema.Record, fallback *DefaultPower) (watts float64, ok bool) {
	switch {
	case v.Has("value_pj"):
		t.addProblemf("%s is an energy for each bit, want value_w or value_kw", label)
		return 0, false
	case v != nil:
		if v.Text("source_type") == DefaultSource {
			t.estimated = append(t.estimated, label+" ("+v.Text("source")+" default)")
		}
		watts = wattsOf(v)
		t.addFigure(label, watts, "W", v)
		return watts, true
	case fallback != nil:
		t.out.Figures = append(t.out.Figures, Figure{label, fallback.Watts, "W", DefaultSource, fallback.Section})
		t.estimated = append(t.estimated, label+" (absent; default of "+fallback.Section+")")
		return fallback.Watts, true
	}
	t.missing = append(t.missing, label+" is missing, and appendix D has no default for it")
	return 0, false
}

// Compute computes the power. cores contains the cores per processor from the system's description, by node type.
func (d *Descriptor) Compute(rules *endpoints.Rules, cores map[int]int) Computation {
	out := Computation{Overhead: d.Overhead()}
	t := &powerTally{rules: rules, cores: cores, out: &out}
	major, published := map[int]float64{}, map[int]float64{}
	var order []int
	for _, one := range d.record.List("node_sets") {
		set := one.(*schema.Record)
		id := set.Int("node_set_id")
		if _, twice := major[id]; twice {
			if len(out.Problems) == 0 || !strings.HasPrefix(out.Problems[0], "node_set_id") {
				out.Problems = append([]string{"node_set_id: two sets have one number"}, out.Problems...)
			}
		} else {
			order = append(order, id)
		}
		major[id], published[id] = t.nodeSetWatts(set)
	}
	nics := t.addScaleOut(d)
	for _, one := range d.record.List("node_sets") {
		if set := one.(*schema.Record); d.addsAdapters(set) {
			major[set.Int("node_set_id")] += float64(set.Int("nodes_provisioned")) * nics
		}
	}
	for _, id := range order {
		out.Major += major[id]
		out.Published += published[id]
	}
	out.Other = out.Overhead * out.Major
	for _, one := range d.record.List("node_sets") {
		out.Sets = append(out.Sets, newSet(one.(*schema.Record), out.Overhead, major, published))
	}
	out.Problems = append(out.Problems, t.problems...)
	d.settlePower(t, &out)
	return out
}

func newSet(set *schema.Record, overhead float64, major, published map[int]float64) NodeSet {
	id := set.Int("node_set_id")
	s := NodeSet{ID: id, Ensemble: set.Int("system_node_ensemble_id"), Nodes: set.Int("nodes_provisioned"),
		Watts: (1+overhead)*major[id] + published[id], AcceleratorsPerNode: -1}
	if a := set.Record("components").Record("accelerator"); a != nil {
		s.AcceleratorsPerNode = a.Int("count_per_node")
	}
	return s
}

// settlePower sets whether the power is known, and its value.
func (d *Descriptor) settlePower(t *powerTally, out *Computation) {
	if declared := d.record.Record("declared_provisioned_power"); declared != nil {
		out.IsDeclared = true
		if declared.Has("value_pj") {
			out.Problems = append(out.Problems,
				"declared_provisioned_power is an energy for each bit, want value_w or value_kw")
		} else {
			watts := wattsOf(declared)
			out.Figures = nil // the declared figure replaces all others
			t.addFigure("declared_provisioned_power", watts, "W", declared)
			out.KW, out.IsKnown = roundCents(watts/1000), true
			if declared.Text("source_type") == DefaultSource {
				out.Estimated = append(out.Estimated, "declared_provisioned_power (mlc_default)")
			}
		}
	} else {
		out.Problems = append(out.Problems, t.missing...)
		out.Estimated = append(out.Estimated, t.estimated...)
		if len(out.Problems) == 0 {
			out.KW, out.IsKnown = roundCents(out.Total()/1000), true
		}
	}
	if len(out.Problems) == 0 && len(t.missing) == 0 {
		out.Problems = append(out.Problems, d.listDisagreements(out)...)
	}
	if len(out.Problems) > 0 {
		out.KW, out.IsKnown = 0, false
	}
}

// listDisagreements returns the submitter's figures that differ from the computed ones.
func (d *Descriptor) listDisagreements(out *Computation) (all []string) {
	stated := d.record.Record("computed")
	for _, f := range []struct {
		name      string
		ours, tol float64
	}{
		{"major_components_w", out.Major, 0.5}, {"other_components_w", out.Other, 0.5},
		{"published_node_power_w", out.Published, 0.5}, {"scale_out_switch_power_w", out.Switches, 0.5},
		{"total_system_power_w", out.Total(), 0.5}, {"overhead_fraction", out.Overhead, 1e-9},
	} {
		if stated.Has(f.name) && math.Abs(stated.Float(f.name)-f.ours) > f.tol {
			all = append(all, fmt.Sprintf("computed.%s is %v, it should be %v", f.name, stated.Float(f.name), f.ours))
		}
	}
	if d.record.Has("provisioned_power_kw") && out.IsKnown && math.Abs(
		d.record.Float("provisioned_power_kw")-out.KW) > 0.005 {
		all = append(all, fmt.Sprintf("provisioned_power_kw is %v, it should be %.2f", d.record.Float("provisioned_power_kw"),
			out.KW))
	}
	return all
}

// nodeSetWatts returns the watts of a set's major components and of its published figures.
func (t *powerTally) nodeSetWatts(set *schema.Record) (major, published float64) {
	label, nodes := fmt.Sprintf("node_sets[%d]", set.Int("node_set_id")), float64(set.Int("nodes_provisioned"))
	method := set.Text("power_method")
	if method == "component_sum" {
		components := set.Record("components")
		if components == nil {
			t.out.Problems = append(t.out.Problems, label+": component_sum needs components")
			return 0, 0
		}
		perNode, ok := t.componentWatts(components, set.Int("system_node_ensemble_id"), label+".components")
		if !ok {
			return 0, 0
		}
		return nodes * perNode, 0
	}
	if !set.Has("published_power") {
		t.out.Problems = append(t.out.Problems, label+": "+method+" needs published_power")
		return 0, 0
	}
	watts, ok := t.addWatts(label+".published_power", set.Record("published_power"), nil)
	switch {
	case !ok:
		return 0, 0
	case method == "published_system":
		return 0, nodes * watts
	}
	rack := float64(set.Int("nodes_in_published_rack"))
	if !set.Has("nodes_in_published_rack") || rack <= nodes {
		t.out.Problems = append(t.out.Problems, fmt.Sprintf("%s: node_scaling needs nodes_in_published_rack above %v", label,
			nodes))
		return 0, 0
	}
	return 0, watts * (nodes / rack)
}

// componentWatts returns the watts of a node's processors, accelerators and scale-up network.
func (t *powerTally) componentWatts(c *schema.Record, ensemble int, label string) (watts float64, ok bool) {
	cpu, acc := c.Record("cpu"), c.Record("accelerator")
	var parts []float64
	known := true
	add := func(count float64, watts float64, ok bool) {
		known = known && ok
		parts = append(parts, count*watts)
	}
	if combined := c.Record("combined_cpu_accelerator"); combined != nil {
		if cpu.Has("tdp_per_unit") || acc.Has("tdp_per_unit") {
			t.addProblemf("%s: combined_cpu_accelerator stands for both values of tdp_per_unit: give either", label)
		}
		w, ok := t.addWatts(label+".combined_cpu_accelerator", combined, nil)
		add(1, w, ok)
	} else {
		if cpu == nil || acc == nil {
			t.addProblemf("%s needs cpu and accelerator, or combined_cpu_accelerator", label)
			return 0, false
		}
		w, ok := t.addWatts(label+".cpu.tdp_per_unit", cpu.Record("tdp_per_unit"),
			DefaultForCPU(t.rules.PowerDefaults, cpu.Text("model"), t.cores[ensemble]))
		add(float64(cpu.Int("count_per_node")), w, ok)
		w, ok = t.addWatts(label+".accelerator.tdp_per_unit", acc.Record("tdp_per_unit"),
			DefaultForAccelerator(t.rules.PowerDefaults, acc.Text("model")))
		add(float64(acc.Int("count_per_node")), w, ok)
	}
	up := c.Record("scale_up_network")
	if up == nil {
		t.addProblemf("%s needs scale_up_network", label)
		return 0, false
	}
	w, ok := t.scaleUpWatts(up, label+".scale_up_network")
	add(1, w, ok)
	for _, p := range parts {
		watts += p
	}
	return watts, known
}

// bitsPerByte converts the bandwidth of a scale-up network to bits. It is in bytes per second, whatever its key says.
const bitsPerByte = 8

func (t *powerTally) scaleUpWatts(up *schema.Record, label string) (watts float64, ok bool) {
	switch up.Text("method") {
	case "none":
		return 0, true
	case "declared_tdp":
		if !up.Has("switch_count") {
			t.addProblemf("%s: declared_tdp needs switch_count", label)
			return 0, false
		}
		w, ok := t.addWatts(label+".tdp_per_switch", up.Record("tdp_per_switch"), nil)
		return float64(up.Int("switch_count")) * w, ok
	}
	energy := up.Record("energy_per_bit_pj")
	switch {
	case !up.Has("aggregate_bandwidth_tbps"):
		t.addProblemf("%s: bandwidth_estimate needs aggregate_bandwidth_tbps", label)
		return 0, false
	case energy == nil:
		t.missing = append(t.missing, label+".energy_per_bit_pj is missing, and has no default")
		return 0, false
	case !energy.Has("value_pj"):
		t.addProblemf("%s.energy_per_bit_pj needs value_pj", label)
		return 0, false
	}
	if energy.Text("source_type") == DefaultSource {
		t.estimated = append(t.estimated, label+".energy_per_bit_pj ("+energy.Text("source")+" default)")
	}
	t.addFigure(label+".energy_per_bit_pj", energy.Float("value_pj"), "pJ", energy)
	return up.Float("aggregate_bandwidth_tbps") * bitsPerByte * energy.Float("value_pj"), true
}

// addsAdapters reports whether the counted adapters of the scale-out network are added to a set. They are added to sets
// computed from components, and to published figures that exclude them.
func (d *Descriptor) addsAdapters(set *schema.Record) bool {
	out := d.record.Record("scale_out")
	nics := out.Record("nics")
	return out.Bool("present") && nics.Bool("counted") &&
		(set.Text("power_method") == "component_sum" || nics.Text("excluded_from_published_power") != "")
}

func (d *Descriptor) nodeCount() (n int) {
	for _, set := range d.record.List("node_sets") {
		n += set.(*schema.Record).Int("nodes_provisioned")
	}
	return n
}

// checkFabric checks the description of the scale-out network for contradictions.
func (t *powerTally) checkFabric(d *Descriptor) {
	nodes, present := d.nodeCount(), d.record.Record("scale_out").Bool("present")
	warn := func(text string) { t.out.Warnings = append(t.out.Warnings, text) }
	if nodes == 1 || present {
		if nodes == 1 && present {
			warn("scale_out.present is true for a single node: the rules make it false, and its switches count")
		}
		return
	}
	for _, one := range d.record.List("node_sets") {
		set := one.(*schema.Record)
		up := set.Record("components").Record("scale_up_network")
		if set.Text("power_method") != "component_sum" || up == nil || up.Text("method") != "none" {
			warn(fmt.Sprintf("scale_out.present is false for %d nodes: right only where their scale-up network joins them, "+
				"which the descriptor cannot show", nodes))
			return
		}
	}
	t.out.Problems = append(t.out.Problems,
		fmt.Sprintf("scale_out.present is false, and nothing joins the %d nodes", nodes))
}

// addScaleOut adds the watts of the switches and returns the watts of a node's counted adapters.
func (t *powerTally) addScaleOut(d *Descriptor) (perNode float64) {
	t.checkFabric(d)
	out := d.record.Record("scale_out")
	if !out.Bool("present") {
		return 0
	}
	var missing []string
	for _, name := range []string{"cabling", "required_bandwidth_tbps", "nics", "switches"} {
		if !out.Has(name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		t.out.Problems = append(t.out.Problems, "scale_out needs "+strings.Join(missing, ", "))
		return 0
	}
	perNode = t.adapterWatts(d, out.Record("nics"))
	t.addSwitches(d, out)
	return perNode
}

func (t *powerTally) adapterWatts(d *Descriptor, nics *schema.Record) (perNode float64) {
	formula := false
	for _, set := range d.record.List("node_sets") {
		formula = formula || set.(*schema.Record).Text("power_method") == "component_sum"
	}
	switch {
	case nics.Bool("counted"):
		if !formula && nics.Text("excluded_from_published_power") == "" {
			t.out.Problems = append(t.out.Problems, "scale_out.nics.counted is true, but published figures include adapters: "+
				"set it to false, or show in excluded_from_published_power that they do not")
		}
		if w, ok := t.addWatts("scale_out.nics.tdp_per_nic", nics.Record("tdp_per_nic"),
			&DefaultPower{t.rules.PowerDefaults.NIC, "D.4"}); ok {
			return float64(nics.Int("count_per_node")) * w
		}
	case formula:
		t.out.Problems = append(t.out.Problems, "scale_out.nics.counted is false, but the sum of components has no adapters")
	}
	return 0
}

// maxRounding is the maximum rounding error of sums of bandwidths in Tb/s.
const maxRounding = 1e-6

func (t *powerTally) addSwitches(d *Descriptor, out *schema.Record) {
	nics := out.Record("nics")
	carried := float64(d.nodeCount()*nics.Int("count_per_node")) * nics.Float("bandwidth_per_nic_gbps") / 1000
	required := out.Float("required_bandwidth_tbps")
	switch text := fmt.Sprintf("scale_out.required_bandwidth_tbps is %v, the adapters carry %v", required, carried); {
	case required < carried-maxRounding:
		t.out.Problems = append(t.out.Problems, text)
	case required > carried+maxRounding:
		t.out.Warnings = append(t.out.Warnings, text)
	}
	offered := 0.0
	for i, one := range out.List("switches") {
		s := one.(*schema.Record)
		if w, ok := t.addWatts(fmt.Sprintf("scale_out.switches[%d].power_per_switch", i), s.Record("power_per_switch"),
			DefaultForSwitch(t.rules.PowerDefaults, s.Text("model"), out.Text("cabling"))); ok {
			t.out.Switches += float64(s.Int("count")) * w
		}
		offered += float64(s.Int("count")) * s.Float("bandwidth_tbps")
	}
	if offered < max(required, carried)-maxRounding {
		t.out.Problems = append(t.out.Problems, fmt.Sprintf("scale_out.switches offer %v Tb/s, want %v", offered,
			max(required, carried)))
	}
}
