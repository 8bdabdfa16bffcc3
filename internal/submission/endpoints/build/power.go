package build

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/power"
	"github.com/plumbline-ml/plumbline/internal/submission/system"
)

// Power is system_power.json of a system, and how its figure comes about.
type Power struct {
	System string
	KW     float64  // 0 where it is not known
	Lines  []string // the arithmetic, a step a line
	dict   *pyvalue.Dict
	open   []string // what a person has still to write
}

// ledger makes a descriptor, and says what each figure is.
type ledger struct {
	d     *described
	rules *endpoints.Rules
	lines []string
}

// sourced is a figure of a sheet with its source, as the descriptor has it; nil where the sheet says nothing. text is
// what the arithmetic shows of it.
func (l *ledger) sourced(file string, s *system.Sheet, field, source, key string, fallback *power.Default) (v any,
	text string) {
	x, ok := l.d.number(file, s, field)
	switch {
	case !ok && fallback != nil:
		return nil, fmt.Sprintf("%s W (default of %s)", exact(fallback.Watts), fallback.Section)
	case !ok:
		return nil, "unknown"
	}
	kind, page, err := sourceOf(s.Text(source))
	if err != nil {
		l.d.missing = append(l.d.missing, fmt.Sprintf("%s: %s, the source of %s, is %q: %v", file, source, field,
			s.Text(source), err))
	}
	one := pyvalue.NewDict()
	one.Set("source_type", kind)
	one.Set("source", page)
	one.Set(key, x)
	unit := "W"
	if key == "value_pj" {
		unit = "pJ/bit"
	}
	return one, fmt.Sprintf("%s %s (%s, %s)", exact(x), unit, kind, page)
}

// optional sets a key that has a value.
func optional(d *pyvalue.Dict, key string, v any) {
	if v != nil {
		d.Set(key, v)
	}
}

// power makes the descriptor of a system, and works it out.
func (d *described) power(rules *endpoints.Rules) *Power {
	l := &ledger{d: d, rules: rules}
	before := len(d.missing)
	out := pyvalue.NewDict()
	out.Set("system_desc_id", d.name)
	out.Set("cooling", d.cooling())
	var sets []any
	for i, n := range d.nodes {
		sets = append(sets, l.set(i, n))
	}
	out.Set("node_sets", sets)
	out.Set("scale_out", l.scaleOut())
	if notes := d.sheet.Text("power_notes"); notes != "" {
		out.Set("notes", notes)
	}
	p := &Power{System: d.name, dict: out}
	p.workOut(l, d.cores())
	p.open = append(d.missing[before:len(d.missing):len(d.missing)], p.open...)
	d.missing = d.missing[:before]
	return p
}

// cooling is that of all nodes: air where any is cooled by it.
func (d *described) cooling() string {
	liquid := true
	for _, n := range d.nodes {
		liquid = liquid && power.OverheadOf(n.sheet.Text("cooling")) == power.LiquidOverhead
	}
	if liquid {
		return "liquid"
	}
	return "air"
}

func (d *described) cores() map[int]int {
	cores := map[int]int{}
	for i, n := range d.nodes {
		if c := d.whole(n.file, n.sheet, "host_processor_core_count", 1); c > 0 {
			cores[i] = c
		}
	}
	return cores
}

// set is a set of equal nodes.
func (l *ledger) set(id int, n node) *pyvalue.Dict {
	out := pyvalue.NewDict()
	out.Set("node_set_id", int64(id))
	out.Set("system_node_ensemble_id", int64(id))
	out.Set("nodes_provisioned", int64(n.count))
	s := n.sheet
	switch {
	case s.Text("node_watts") != "":
		v, text := l.sourced(n.file, s, "node_watts", "node_source", "value_w", nil)
		out.Set("power_method", "published_system")
		optional(out, "published_power", v)
		l.say("nodes %d: %s x %s, published, the overhead in it", id, figure.Plural(n.count, "node"), text)
	case s.Text("rack_watts") != "":
		v, text := l.sourced(n.file, s, "rack_watts", "node_source", "value_w", nil)
		rack := l.d.whole(n.file, s, "rack_nodes", 1)
		out.Set("power_method", "node_scaling")
		optional(out, "published_power", v)
		out.Set("nodes_in_published_rack", int64(rack))
		l.say("nodes %d: %d of the %d nodes of a rack of %s, published, the overhead in it", id, n.count, rack, text)
	default:
		out.Set("power_method", "component_sum")
		out.Set("components", l.components(id, n))
	}
	return out
}

func (l *ledger) say(format string, args ...any) {
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

// components are the parts of a node.
func (l *ledger) components(id int, n node) *pyvalue.Dict {
	s, defaults := n.sheet, l.rules.PowerDefaults
	sockets := l.d.whole(n.file, s, "host_processors_per_node", 1)
	cores := l.d.cores()[id]
	out := pyvalue.NewDict()
	cpuModel, accModel := s.Text("host_processor_model_name"), s.Text("accelerator_model_name")
	ofCPU := power.OfCPU(defaults, cpuModel, cores)
	cpu, cpuText := l.part(n, cpuModel, sockets, "cpu", ofCPU)
	acc, accText := l.part(n, accModel, n.accelerators, "accelerator", power.OfAccelerator(defaults, accModel))
	if n.accelerators == 0 {
		accText = "none"
		optional(out, "combined_cpu_accelerator", combined(cpu, sockets, ofCPU))
	} else {
		out.Set("cpu", cpu)
		out.Set("accelerator", acc)
	}
	up, upText := l.scaleUp(n)
	out.Set("scale_up_network", up)
	l.say("nodes %d: %s x (processors %s + accelerators %s + scale-up network %s)", id, figure.Plural(n.count, "node"),
		cpuText, accText, upText)
	return out
}

// part is a processor or an accelerator, of which a node has so many.
func (l *ledger) part(n node, model string, count int, name string, fallback *power.Default) (out *pyvalue.Dict,
	text string) {
	out = pyvalue.NewDict()
	out.Set("model", model)
	out.Set("count_per_node", int64(count))
	if count == 0 {
		return out, "none"
	}
	v, text := l.sourced(n.file, n.sheet, name+"_watts", name+"_source", "value_w", fallback)
	optional(out, "tdp_per_unit", v)
	return out, fmt.Sprintf("%d x %s", count, text)
}

// combined is the figure of a node's processors where it has no accelerator: a descriptor that counts none says that no
// replica can run. It is nil where the processor's figure is not known.
func combined(cpu *pyvalue.Dict, sockets int, fallback *power.Default) any {
	out := pyvalue.NewDict()
	figure, ok := pyvalue.Field[*pyvalue.Dict](cpu, "tdp_per_unit")
	switch {
	case ok:
		for _, key := range []string{"source_type", "source"} {
			v, _ := figure.Get(key)
			out.Set(key, v)
		}
		each, _ := pyvalue.Field[float64](figure, "value_w")
		out.Set("value_w", each*float64(sockets))
	case fallback != nil:
		out.Set("source_type", "mlc_default")
		out.Set("source", fallback.Section)
		out.Set("value_w", fallback.Watts*float64(sockets))
	default:
		return nil
	}
	return out
}

func (l *ledger) scaleUp(n node) (out *pyvalue.Dict, text string) {
	out = pyvalue.NewDict()
	switches := l.d.whole(n.file, n.sheet, "scale_up_switches", 0)
	tbps, estimated := l.d.number(n.file, n.sheet, "scale_up_tbps")
	switch {
	case switches > 0:
		v, figureText := l.sourced(n.file, n.sheet, "scale_up_switch_watts", "scale_up_source", "value_w", nil)
		out.Set("method", "declared_tdp")
		out.Set("switch_count", int64(switches))
		optional(out, "tdp_per_switch", v)
		return out, fmt.Sprintf("%d x %s", switches, figureText)
	case estimated:
		v, figureText := l.sourced(n.file, n.sheet, "scale_up_pj_per_bit", "scale_up_source", "value_pj", nil)
		out.Set("method", "bandwidth_estimate")
		out.Set("aggregate_bandwidth_tbps", tbps)
		optional(out, "energy_per_bit_pj", v)
		return out, fmt.Sprintf("%s TB/s x 8 x %s", exact(tbps), figureText)
	}
	out.Set("method", "none")
	return out, "none"
}

// scaleOut is the network between the nodes.
func (l *ledger) scaleOut() *pyvalue.Dict {
	s, file, out := l.d.sheet, systemFile(l.d.name), pyvalue.NewDict()
	present := s.Text("scale_out_network") == "yes"
	out.Set("present", present)
	if !present {
		return out
	}
	cabling := s.Text("scale_out_cabling")
	if cabling != "" {
		out.Set("cabling", cabling)
	}
	cards := l.d.whole(file, s, "scale_out_nics_per_node", 0)
	speed, _ := l.d.number(file, s, "scale_out_nic_gbps")
	required := float64(cards*l.d.total()) * speed / 1000
	out.Set("required_bandwidth_tbps", required)
	nics := pyvalue.NewDict()
	nics.Set("count_per_node", int64(cards))
	nics.Set("bandwidth_per_nic_gbps", speed)
	nics.Set("counted", true)
	v, text := l.sourced(file, s, "scale_out_nic_watts", "scale_out_nic_source", "value_w",
		&power.Default{Watts: l.rules.PowerDefaults.NIC, Section: "D.4"})
	optional(nics, "tdp_per_nic", v)
	out.Set("nics", nics)
	l.say("adapters: %s x %d x %s", figure.Plural(l.d.total(), "node"), cards, text)
	model := s.Text("scale_out_switch_model")
	count := l.d.whole(file, s, "scale_out_switches", 1)
	offered, _ := l.d.number(file, s, "scale_out_switch_tbps")
	one := pyvalue.NewDict()
	one.Set("model", model)
	one.Set("count", int64(count))
	one.Set("bandwidth_tbps", offered)
	v, text = l.sourced(file, s, "scale_out_switch_watts", "scale_out_switch_source", "value_w",
		power.OfSwitch(l.rules.PowerDefaults, model, cabling))
	optional(one, "power_per_switch", v)
	out.Set("switches", []any{one})
	l.say("switches: %d x %s; %s Tb/s offered, %s Tb/s wanted", count, text, exact(offered*float64(count)),
		exact(required))
	return out
}

// workOut adds what the rules make of the descriptor.
func (p *Power) workOut(l *ledger, cores map[int]int) {
	p.Lines = l.lines
	parsed, faults := power.Parse(p.dict)
	for _, f := range faults {
		p.open = append(p.open, fmt.Sprintf("the power of %s: %v", p.System, f))
	}
	if parsed == nil {
		return
	}
	c := parsed.Compute(l.rules, cores)
	for _, text := range append(c.Problems, c.Warnings...) {
		p.open = append(p.open, fmt.Sprintf("the power of %s: %s", p.System, text))
	}
	if !c.Known {
		return
	}
	p.KW = c.KW
	computed := pyvalue.NewDict()
	computed.Set("major_components_w", c.Major)
	computed.Set("overhead_fraction", c.Overhead)
	computed.Set("other_components_w", c.Other)
	computed.Set("published_node_power_w", c.Published)
	computed.Set("scale_out_switch_power_w", c.Switches)
	computed.Set("total_system_power_w", c.Total())
	p.dict.Set("computed", computed)
	p.dict.Set("provisioned_power_kw", c.KW)
	p.dict.Set("mlc_estimated_power", len(c.Estimated) > 0)
	p.Lines = append(p.Lines, fmt.Sprintf(
		"major %s W + other %s x major = %s W + published %s W + switches %s W = %s W, %.2f kW",
		exact(c.Major), exact(c.Overhead), exact(c.Other), exact(c.Published),
		exact(c.Switches), exact(c.Total()), c.KW))
	if len(c.Estimated) > 0 {
		p.Lines = append(p.Lines, "MLC Estimated Power, by defaults of appendix D: "+strings.Join(c.Estimated, "; "))
	}
}

// exact is a figure with as many digits as it has, three decimals at most.
func exact(x float64) string {
	text := strconv.FormatFloat(x, 'f', 3, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
