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

// PowerDescription is a system's system_power.json and the computation of its power.
type PowerDescription struct {
	System     string
	KW         float64  // 0: unknown
	Lines      []string // arithmetic, one step per line
	dict       *pyvalue.Dict
	unfinished []string // what a person must still write
}

// powerLedger builds a power descriptor and records the arithmetic.
type powerLedger struct {
	system *describedSystem
	rules  *endpoints.Rules
	lines  []string
}

// sourcedFigure returns a figure of a sheet with its source in the form of the descriptor, or nil if the sheet does not
// contain it. text is its form in the arithmetic.
func (l *powerLedger) sourcedFigure(file string, s *system.Sheet, field, source, key string,
	fallback *power.DefaultPower) (v any,
	text string) {
	x, ok := l.system.numberField(file, s, field)
	switch {
	case !ok && fallback != nil:
		return nil, fmt.Sprintf("%s W (default of %s)", exactFigure(fallback.Watts), fallback.Section)
	case !ok:
		return nil, "unknown"
	}
	kind, page, err := parseSource(s.Text(source))
	if err != nil {
		l.system.missing = append(l.system.missing, fmt.Sprintf("%s: %s, the source of %s, is %q: %v", file, source, field,
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
	return one, fmt.Sprintf("%s %s (%s, %s)", exactFigure(x), unit, kind, page)
}

// setOptional sets a key unless v is nil.
func setOptional(d *pyvalue.Dict, key string, v any) {
	if v != nil {
		d.Set(key, v)
	}
}

// makePower builds the power descriptor of a system and computes its power.
func (d *describedSystem) makePower(rules *endpoints.Rules) *PowerDescription {
	l := &powerLedger{system: d, rules: rules}
	before := len(d.missing)
	out := pyvalue.NewDict()
	out.Set("system_desc_id", d.name)
	out.Set("cooling", d.coolingKind())
	var sets []any
	for i, n := range d.nodes {
		sets = append(sets, l.nodeSet(i, n))
	}
	out.Set("node_sets", sets)
	out.Set("scale_out", l.scaleOutNetwork())
	if notes := d.sheet.Text("power_notes"); notes != "" {
		out.Set("notes", notes)
	}
	p := &PowerDescription{System: d.name, dict: out}
	p.computePower(l, d.coresByNode())
	p.unfinished = append(d.missing[before:len(d.missing):len(d.missing)], p.unfinished...)
	d.missing = d.missing[:before]
	return p
}

// coolingKind returns the cooling of the system: air if any node is cooled by air.
func (d *describedSystem) coolingKind() string {
	liquid := true
	for _, n := range d.nodes {
		liquid = liquid && power.OverheadOf(n.sheet.Text("cooling")) == power.LiquidOverhead
	}
	if liquid {
		return "liquid"
	}
	return "air"
}

func (d *describedSystem) coresByNode() map[int]int {
	cores := map[int]int{}
	for i, n := range d.nodes {
		if c := d.wholeField(n.file, n.sheet, "host_processor_core_count", 1); c > 0 {
			cores[i] = c
		}
	}
	return cores
}

// nodeSet returns the descriptor of a set of equal nodes.
func (l *powerLedger) nodeSet(id int, n nodeKind) *pyvalue.Dict {
	out := pyvalue.NewDict()
	out.Set("node_set_id", int64(id))
	out.Set("system_node_ensemble_id", int64(id))
	out.Set("nodes_provisioned", int64(n.count))
	s := n.sheet
	switch {
	case s.Text("node_watts") != "":
		v, text := l.sourcedFigure(n.file, s, "node_watts", "node_source", "value_w", nil)
		out.Set("power_method", "published_system")
		setOptional(out, "published_power", v)
		l.addLinef("nodes %d: %s x %s, published, the overhead in it", id, figure.Plural(n.count, "node"), text)
	case s.Text("rack_watts") != "":
		v, text := l.sourcedFigure(n.file, s, "rack_watts", "node_source", "value_w", nil)
		rack := l.system.wholeField(n.file, s, "rack_nodes", 1)
		out.Set("power_method", "node_scaling")
		setOptional(out, "published_power", v)
		out.Set("nodes_in_published_rack", int64(rack))
		l.addLinef("nodes %d: %d of the %d nodes of a rack of %s, published, the overhead in it", id, n.count, rack, text)
	default:
		out.Set("power_method", "component_sum")
		out.Set("components", l.nodeComponents(id, n))
	}
	return out
}

func (l *powerLedger) addLinef(format string, args ...any) {
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

// nodeComponents returns the descriptor of a node's components.
func (l *powerLedger) nodeComponents(id int, n nodeKind) *pyvalue.Dict {
	s, defaults := n.sheet, l.rules.PowerDefaults
	sockets := l.system.wholeField(n.file, s, "host_processors_per_node", 1)
	cores := l.system.coresByNode()[id]
	out := pyvalue.NewDict()
	cpuModel, accModel := s.Text("host_processor_model_name"), s.Text("accelerator_model_name")
	ofCPU := power.DefaultForCPU(defaults, cpuModel, cores)
	cpu, cpuText := l.componentFigure(n, cpuModel, sockets, "cpu", ofCPU)
	acc, accText := l.componentFigure(n, accModel, n.accelerators, "accelerator",
		power.DefaultForAccelerator(defaults, accModel))
	if n.accelerators == 0 {
		accText = "none"
		setOptional(out, "combined_cpu_accelerator", combinedCPU(cpu, sockets, ofCPU))
	} else {
		out.Set("cpu", cpu)
		out.Set("accelerator", acc)
	}
	up, upText := l.scaleUpNetwork(n)
	out.Set("scale_up_network", up)
	l.addLinef("nodes %d: %s x (processors %s + accelerators %s + scale-up network %s)", id, figure.Plural(n.count,
		"node"),
		cpuText, accText, upText)
	return out
}

// componentFigure returns the descriptor of the processors or accelerators of a node.
func (l *powerLedger) componentFigure(n nodeKind, model string, count int, name string,
	fallback *power.DefaultPower) (out *pyvalue.Dict,
	text string) {
	out = pyvalue.NewDict()
	out.Set("model", model)
	out.Set("count_per_node", int64(count))
	if count == 0 {
		return out, "none"
	}
	v, text := l.sourcedFigure(n.file, n.sheet, name+"_watts", name+"_source", "value_w", fallback)
	setOptional(out, "tdp_per_unit", v)
	return out, fmt.Sprintf("%d x %s", count, text)
}

// combinedCPU returns the power of all processors of a node without accelerators. A descriptor with zero accelerators
// would mean that no replica can run. It returns nil if the processor's power is unknown.
func combinedCPU(cpu *pyvalue.Dict, sockets int, fallback *power.DefaultPower) any {
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
		out.Set("source_type", power.DefaultSource)
		out.Set("source", fallback.Section)
		out.Set("value_w", fallback.Watts*float64(sockets))
	default:
		return nil
	}
	return out
}

func (l *powerLedger) scaleUpNetwork(n nodeKind) (out *pyvalue.Dict, text string) {
	out = pyvalue.NewDict()
	switches := l.system.wholeField(n.file, n.sheet, "scale_up_switches", 0)
	tbps, estimated := l.system.numberField(n.file, n.sheet, "scale_up_tbps")
	switch {
	case switches > 0:
		v, figureText := l.sourcedFigure(n.file, n.sheet, "scale_up_switch_watts", "scale_up_source", "value_w", nil)
		out.Set("method", "declared_tdp")
		out.Set("switch_count", int64(switches))
		setOptional(out, "tdp_per_switch", v)
		return out, fmt.Sprintf("%d x %s", switches, figureText)
	case estimated:
		v, figureText := l.sourcedFigure(n.file, n.sheet, "scale_up_pj_per_bit", "scale_up_source", "value_pj", nil)
		out.Set("method", "bandwidth_estimate")
		out.Set("aggregate_bandwidth_tbps", tbps)
		setOptional(out, "energy_per_bit_pj", v)
		return out, fmt.Sprintf("%s TB/s x 8 x %s", exactFigure(tbps), figureText)
	}
	out.Set("method", "none")
	return out, "none"
}

// scaleOutNetwork returns the descriptor of the network between the nodes.
func (l *powerLedger) scaleOutNetwork() *pyvalue.Dict {
	s, file, out := l.system.sheet, systemFile(l.system.name), pyvalue.NewDict()
	present := s.Text("scale_out_network") == "yes"
	out.Set("present", present)
	if !present {
		return out
	}
	cabling := s.Text("scale_out_cabling")
	if cabling != "" {
		out.Set("cabling", cabling)
	}
	cards := l.system.wholeField(file, s, "scale_out_nics_per_node", 0)
	speed, _ := l.system.numberField(file, s, "scale_out_nic_gbps")
	required := float64(cards*l.system.totalNodes()) * speed / 1000
	out.Set("required_bandwidth_tbps", required)
	nics := pyvalue.NewDict()
	nics.Set("count_per_node", int64(cards))
	nics.Set("bandwidth_per_nic_gbps", speed)
	nics.Set("counted", true)
	v, text := l.sourcedFigure(file, s, "scale_out_nic_watts", "scale_out_nic_source", "value_w",
		&power.DefaultPower{Watts: l.rules.PowerDefaults.NIC, Section: "D.4"})
	setOptional(nics, "tdp_per_nic", v)
	out.Set("nics", nics)
	l.addLinef("adapters: %s x %d x %s", figure.Plural(l.system.totalNodes(), "node"), cards, text)
	model := s.Text("scale_out_switch_model")
	count := l.system.wholeField(file, s, "scale_out_switches", 1)
	offered, _ := l.system.numberField(file, s, "scale_out_switch_tbps")
	one := pyvalue.NewDict()
	one.Set("model", model)
	one.Set("count", int64(count))
	one.Set("bandwidth_tbps", offered)
	v, text = l.sourcedFigure(file, s, "scale_out_switch_watts", "scale_out_switch_source", "value_w",
		power.DefaultForSwitch(l.rules.PowerDefaults, model, cabling))
	setOptional(one, "power_per_switch", v)
	out.Set("switches", []any{one})
	l.addLinef("switches: %d x %s; %s Tb/s offered, %s Tb/s wanted", count, text, exactFigure(offered*float64(count)),
		exactFigure(required))
	return out
}

// computePower computes the power by the rules and adds it to the descriptor.
func (p *PowerDescription) computePower(l *powerLedger, cores map[int]int) {
	p.Lines = l.lines
	parsed, faults := power.ParseDescriptor(p.dict)
	for _, f := range faults {
		p.unfinished = append(p.unfinished, fmt.Sprintf("the power of %s: %v", p.System, f))
	}
	if parsed == nil {
		return
	}
	c := parsed.Compute(l.rules, cores)
	for _, text := range append(c.Problems, c.Warnings...) {
		p.unfinished = append(p.unfinished, fmt.Sprintf("the power of %s: %s", p.System, text))
	}
	if !c.IsKnown {
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
		exactFigure(c.Major), exactFigure(c.Overhead), exactFigure(c.Other), exactFigure(c.Published),
		exactFigure(c.Switches), exactFigure(c.Total()), c.KW))
	if len(c.Estimated) > 0 {
		p.Lines = append(p.Lines, "MLC Estimated Power, by defaults of appendix D: "+strings.Join(c.Estimated, "; "))
	}
}

// exactFigure formats a number with up to three decimals and without trailing zeros.
func exactFigure(x float64) string {
	text := strconv.FormatFloat(x, 'f', 3, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
