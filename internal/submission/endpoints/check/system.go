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

// powerFacts contains the data on power in a system's description.
type powerFacts struct {
	overhead     float64 // 0: the cooling is unknown
	cores        map[int]int
	ensembles    map[int]bool
	accelerators map[int]int // per node
	division     string
}

// checkSystem checks a folder of results/.
func (c *submissionChecker) checkSystem(dir string) {
	known := c.readFacts(dir)
	computation := c.checkPower(dir, known)
	models := c.listDirs(dir)
	if len(models) == 0 {
		c.addRow("benchmark-model-dir", Error, dir, "the system has no folder of a model: want results/SYSTEM/MODEL/rN/")
	}
	for _, name := range models {
		c.checkCurve(path.Join(dir, name), computation)
	}
}

// readFacts reads the first readable description of a system in order of names.
func (c *submissionChecker) readFacts(dir string) powerFacts {
	for _, model := range c.listDirs(dir) {
		for _, name := range c.listDirs(path.Join(dir, model)) {
			if !strings.HasPrefix(name, "r") {
				continue
			}
			if d := c.readObject(path.Join(dir, model, name, systemFile)); d != nil {
				return newFacts(d)
			}
		}
	}
	return powerFacts{}
}

func newFacts(d *pyvalue.Dict) powerFacts {
	f := powerFacts{cores: map[int]int{}, ensembles: map[int]bool{}, accelerators: map[int]int{}}
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
		f.addNode(node)
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

func (f *powerFacts) addNode(node *pyvalue.Dict) {
	value, _ := node.Get("system_node_ensemble_id")
	ensemble, ok := pythonInteger(value)
	if text, isText := value.(string); isText {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		ensemble, ok = n, err == nil && n >= 0
	}
	if !ok {
		return
	}
	f.ensembles[ensemble] = true
	value, _ = node.Get("host_processor_core_count")
	if n, ok := pythonInteger(value); ok {
		f.cores[ensemble] = n
	}
	if n, ok := nodeAccelerators(node); ok {
		f.accelerators[ensemble] = n
	}
}

// pythonInteger returns a JSON integer, with true and false as 1 and 0.
func pythonInteger(v any) (n int, ok bool) {
	if truth, isBool := v.(bool); isBool {
		if truth {
			return 1, true
		}
		return 0, true
	}
	return wholeNumber(v)
}

// nodeAccelerators returns the number of accelerators of all types in a node.
func nodeAccelerators(node *pyvalue.Dict) (n int, ok bool) {
	entries, _ := pyvalue.Field[[]any](node, "accelerator_info")
	if len(entries) == 0 {
		entries = []any{node}
	}
	for _, one := range entries {
		entry, _ := one.(*pyvalue.Dict)
		value, _ := entry.Get("accelerators_per_node")
		if count, isInt := wholeNumber(value); isInt {
			n, ok = n+count, true
		}
	}
	return n, ok
}

// checkPower checks and computes a system's power. It returns nil if the power is unknown.
func (c *submissionChecker) checkPower(dir string, known powerFacts) *power.Computation {
	const rule = "power-descriptor"
	file := path.Join(dir, powerFile)
	if !c.isFile(file) {
		c.reportMissingPower(rule, file, known)
		return nil
	}
	v, err := c.readJSON(file)
	if err != nil {
		c.addRow(rule, Error, file, "%s cannot be read: %v", powerFile, err)
		return nil
	}
	d, faults := power.ParseDescriptor(v)
	if len(faults) > 0 {
		c.addFaults(rule, file, faults)
		return nil
	}
	if known.overhead != 0 && known.overhead != d.Overhead() {
		c.addRow(rule, Error, file, "cooling is %q, but the system's description says otherwise (an overhead of %v)",
			d.Cooling(),
			known.overhead)
	}
	computed := d.Compute(c.rules, known.cores)
	if unknown := unknownEnsembles(computed.Sets, known.ensembles); len(known.ensembles) > 0 && len(unknown) > 0 {
		c.addRow(rule, Warning, file, "the system's description has no nodes %s", listNames(unknown))
	}
	for _, text := range computed.Problems {
		c.addRow(rule, Error, file, "%s", text)
	}
	for _, text := range computed.Warnings {
		c.addRow(rule, Warning, file, "%s", text)
	}
	if !computed.IsKnown {
		return nil
	}
	known.fillAccelerators(computed.Sets)
	if len(computed.Estimated) > 0 {
		c.addRow("power-estimated", Warning, file, "the power is estimated: %s", strings.Join(computed.Estimated, "; "))
	}
	c.addRow(rule, Info, file, "the provisioned power is %.2f kW", computed.KW)
	return &computed
}

// reportMissingPower adds a row for a missing power file. The row is an error unless the division requires none.
func (c *submissionChecker) reportMissingPower(rule, file string, known powerFacts) {
	if known.division == "rdi" || known.division == "serviced" {
		c.addRowInSection(sectionPowerScope, rule, Info, file, "the division needs no %s", powerFile)
		return
	}
	c.addRow(rule, Error, file, "%s is missing", powerFile)
}

// fillAccelerators sets the missing accelerator counts of node sets from the system's description.
func (f powerFacts) fillAccelerators(sets []power.NodeSet) {
	for i, s := range sets {
		if n, ok := f.accelerators[s.Ensemble]; ok && s.AcceleratorsPerNode < 0 {
			sets[i].AcceleratorsPerNode = n
		}
	}
}

func unknownEnsembles(sets []power.NodeSet, known map[int]bool) (names []string) {
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
