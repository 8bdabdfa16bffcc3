package check

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/power"
)

// facts are what a system's description says of its power.
type facts struct {
	overhead     float64 // 0 where the cooling is not known
	cores        map[int]int
	ensembles    map[int]bool
	accelerators map[int]int // of a node
	division     string
}

// system checks a folder of results/.
func (c *checker) system(dir string) {
	known := c.factsOf(dir)
	computation := c.power(dir, known)
	models := c.dirs(dir)
	if len(models) == 0 {
		c.row("benchmark-model-dir", Error, dir, "the system has no folder of a model: want results/SYSTEM/MODEL/rN/")
	}
	for _, name := range models {
		c.curve(path.Join(dir, name), computation)
	}
}

// factsOf reads the first description of a system that can be read, in the order of names.
func (c *checker) factsOf(dir string) facts {
	for _, model := range c.dirs(dir) {
		for _, name := range c.dirs(path.Join(dir, model)) {
			if !strings.HasPrefix(name, "r") {
				continue
			}
			if d := c.object(path.Join(dir, model, name, systemFile)); d != nil {
				return newFacts(d)
			}
		}
	}
	return facts{}
}

func newFacts(d *pyvalue.Dict) facts {
	f := facts{cores: map[int]int{}, ensembles: map[int]bool{}, accelerators: map[int]int{}}
	division, _ := pyvalue.Field[string](d, "division")
	f.division = strings.ToLower(strings.TrimSpace(division))
	overheads := map[float64]bool{}
	cooled := func(d *pyvalue.Dict) {
		text, _ := pyvalue.Field[string](d, "cooling")
		if share := power.OverheadOf(text); share > 0 {
			overheads[share] = true
		}
	}
	cooled(d)
	nodes, _ := pyvalue.Field[[]any](d, "node_types")
	for _, one := range nodes {
		node, ok := one.(*pyvalue.Dict)
		if !ok {
			continue
		}
		cooled(node)
		f.node(node)
	}
	if len(overheads) > 1 {
		f.overhead = power.AirOverhead
	} else {
		for share := range overheads {
			f.overhead = share
		}
	}
	return f
}

func (f *facts) node(node *pyvalue.Dict) {
	value, _ := node.Get("system_node_ensemble_id")
	ensemble, ok := integer(value)
	if text, isText := value.(string); isText {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		ensemble, ok = n, err == nil && n >= 0
	}
	if !ok {
		return
	}
	f.ensembles[ensemble] = true
	value, _ = node.Get("host_processor_core_count")
	if n, ok := integer(value); ok {
		f.cores[ensemble] = n
	}
	if n, ok := acceleratorsOf(node); ok {
		f.accelerators[ensemble] = n
	}
}

// integer is a JSON integer; true and false are 1 and 0.
func integer(v any) (n int, ok bool) {
	if truth, isBool := v.(bool); isBool {
		if truth {
			return 1, true
		}
		return 0, true
	}
	return whole(v)
}

// acceleratorsOf are those of a node, of all kinds.
func acceleratorsOf(node *pyvalue.Dict) (n int, ok bool) {
	entries, _ := pyvalue.Field[[]any](node, "accelerator_info")
	if len(entries) == 0 {
		entries = []any{node}
	}
	for _, one := range entries {
		entry, _ := one.(*pyvalue.Dict)
		value, _ := entry.Get("accelerators_per_node")
		if count, isInt := whole(value); isInt {
			n, ok = n+count, true
		}
	}
	return n, ok
}

// power checks a system's power, and works it out; nil where it is not known.
func (c *checker) power(dir string, known facts) *power.Computation {
	const rule = "power-descriptor"
	file := path.Join(dir, powerFile)
	if !c.isFile(file) {
		c.noPower(rule, file, known)
		return nil
	}
	v, err := c.json(file)
	if err != nil {
		c.row(rule, Error, file, "%s cannot be read: %v", powerFile, err)
		return nil
	}
	d, faults := power.Parse(v)
	if len(faults) > 0 {
		c.faults(rule, file, faults)
		return nil
	}
	if known.overhead != 0 && known.overhead != d.Overhead() {
		c.row(rule, Error, file, "cooling is %q, but the system's description says otherwise (an overhead of %v)",
			d.Cooling(),
			known.overhead)
	}
	computed := d.Compute(c.rules, known.cores)
	if unknown := unknownEnsembles(computed.Sets, known.ensembles); len(known.ensembles) > 0 && len(unknown) > 0 {
		c.row(rule, Warning, file, "the system's description has no nodes %s", listed(unknown))
	}
	for _, text := range computed.Problems {
		c.row(rule, Error, file, "%s", text)
	}
	for _, text := range computed.Warnings {
		c.row(rule, Warning, file, "%s", text)
	}
	if !computed.Known {
		return nil
	}
	known.count(computed.Sets)
	if len(computed.Estimated) > 0 {
		c.row("power-estimated", Warning, file, "the power is estimated: %s", strings.Join(computed.Estimated, "; "))
	}
	c.row(rule, Info, file, "the provisioned power is %.2f kW", computed.KW)
	return &computed
}

// noPower says whether a system may go without the file of its power.
func (c *checker) noPower(rule, file string, known facts) {
	if known.division == "rdi" || known.division == "serviced" {
		c.rowOf(sectionPowerScope, rule, Info, file, "the division needs no %s", powerFile)
		return
	}
	c.row(rule, Error, file, "%s is missing", powerFile)
}

// count fills in the accelerators of each node that the system's description has, where those of power do not say.
func (f facts) count(sets []power.Set) {
	for i, s := range sets {
		if n, ok := f.accelerators[s.Ensemble]; ok && s.AcceleratorsPerNode < 0 {
			sets[i].AcceleratorsPerNode = n
		}
	}
}

func unknownEnsembles(sets []power.Set, known map[int]bool) (names []string) {
	unknown := map[int]bool{}
	for _, s := range sets {
		if !known[s.Ensemble] {
			unknown[s.Ensemble] = true
		}
	}
	for _, n := range slices.Sorted(maps.Keys(unknown)) {
		names = append(names, strconv.Itoa(n))
	}
	return names
}
