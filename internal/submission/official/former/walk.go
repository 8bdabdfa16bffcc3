package former

import (
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// Groups of reasons, with the names of package checker.
const (
	groupPerformance  = "performance"
	groupAccuracy     = "accuracy"
	groupSystem       = "system"
	groupMeasurements = "measurements"
	groupPower        = "power"
	groupAudits       = "compliance"
	groupTree         = "tree"
)

// hasClosedRules reports whether the rules of the closed division apply to a division.
func hasClosedRules(division string) bool { return division != tree.DivisionOpen }

func (c *formerChecker) walkDivisions() error {
	all, err := c.files.Folders(".")
	if err != nil {
		return err
	}
	for _, division := range all {
		known := division == tree.DivisionClosed || division == tree.DivisionOpen ||
			c.book.HasNetwork && division == tree.DivisionNetwork
		if !known {
			continue
		}
		if c.book.RefusesOutside {
			if c.refuseFilesOutside("root", ".") {
				return nil
			}
			if c.refuseFilesOutside(division, division) {
				continue
			}
		}
		submitters, err := c.files.Folders(division)
		if err != nil {
			c.addCrash(division, err)
		}
		for _, name := range submitters {
			if c.Submitter == "" || name == c.Submitter {
				c.walkSubmitter(tree.Place{Division: division, Submitter: name})
			}
		}
	}
	return nil
}

// refuseFilesOutside refuses an entry if files are next to its folders. At the top, text files for readers are
// permitted.
func (c *formerChecker) refuseFilesOutside(name, dir string) bool {
	all, err := c.files.Files(dir)
	if err != nil {
		c.addCrash(dir, err)
		return true
	}
	all = slices.DeleteFunc(all, func(file string) bool {
		return dir == "." && (strings.HasSuffix(file, ".md") || strings.HasSuffix(file, ".pdf"))
	})
	if len(all) > 0 {
		c.refusePath(name, groupTree, "there are files beside folders: %s", strings.Join(all, ", "))
	}
	return len(all) > 0
}

func (c *formerChecker) walkSubmitter(p tree.Place) {
	if !c.files.Exists(p.Results()) {
		return
	}
	if c.book.ChecksShape && !c.checkShape(p) {
		return
	}
	var mapping any
	if file := path.Join(p.Folder(), tree.ModelMapping); c.book.OwnMapping && p.Division == tree.DivisionOpen &&
		c.files.Exists(file) {
		var err error
		if mapping, err = c.files.JSON(file); err != nil {
			c.addCrash(file, err)
			return
		}
	}
	systems, err := c.files.Folders(p.Results())
	if err != nil {
		c.addCrash(p.Results(), err)
	}
	for _, name := range systems {
		p.System = name
		s, ok, err := c.judgeSystem(p)
		if err != nil {
			c.addCrash(p.SystemFile(), err)
		}
		if !ok || err != nil {
			continue
		}
		s.mapping = mapping
		c.walkBenchmarks(s)
	}
}

func (c *formerChecker) walkBenchmarks(s *describedSystem) {
	names, err := c.files.Folders(s.place.Results())
	if err != nil {
		c.addCrash(s.place.Results(), err)
	}
	for _, name := range names {
		b := &benchmarkFolder{describedSystem: s, place: s.place, required: map[string]bool{}}
		b.place.Benchmark = name
		if err := c.walkBenchmark(b); err != nil {
			c.addCrash(b.place.Results(), err)
		}
	}
}

// benchmarkFolder is a benchmark's folder of a system.
type benchmarkFolder struct {
	*describedSystem
	place       tree.Place
	model       string // name in the rules
	checkerName string // name in the checker
	required    map[string]bool
	errors      int // as counted in the summary
}

func (c *formerChecker) walkBenchmark(b *benchmarkFolder) (err error) {
	if b.checkerName, err = c.modelOf(b.place.Benchmark, b.mapping); err != nil {
		return err
	}
	b.model = c.rulesName(b.checkerName)
	if c.Only != nil && !c.Only(b.place, b.model) {
		return nil
	}
	key := b.place.Results()
	if hasClosedRules(b.place.Division) && !c.isModel(b.checkerName) {
		c.refusePath(key, groupPerformance, "the round has no model %s", b.checkerName)
		return nil
	}
	kind := b.kind
	required, optional := c.rules.RequiredScenarios(b.model, kind), c.rules.OptionalScenarios(b.model, kind)
	if c.features.AnySystem {
		required, optional = nil, []string{"SingleStream", "MultiStream", "Server", "Offline"}
	} else if len(required)+len(optional) == 0 || !c.isModel(b.checkerName) {
		c.refusePath(key, groupPerformance, "the model %s has no place on a system of type %s", b.checkerName, kind)
		return nil
	}
	for _, name := range required {
		b.required[name] = true
	}
	folders, err := c.files.Folders(key)
	if err != nil {
		return err
	}
	for _, name := range folders {
		f := &scenarioFolder{benchmarkFolder: b, place: b.place}
		f.place.Scenario = name
		f.scenario = rulesScenario(name)
		if err := c.judgeFolder(f, slices.Contains(append(required, optional...), f.scenario)); err != nil {
			c.addCrash(f.place.Results(), err)
		}
	}
	if missing := slices.Sorted(maps.Keys(b.required)); len(missing) > 0 && hasClosedRules(b.place.Division) {
		c.refusePath(key, groupPerformance, "there is no valid result of %s", strings.Join(missing, ", "))
	}
	return nil
}

// rulesScenario returns a scenario's name in the rules' spelling if it is all in lower case, and unchanged otherwise.
func rulesScenario(folder string) string {
	for _, name := range []string{"SingleStream", "MultiStream", "Server", "Offline"} {
		if folder == strings.ToLower(name) {
			return name
		}
	}
	return folder
}

// isModel reports whether the checker lists a model.
func (c *formerChecker) isModel(named string) bool {
	return slices.ContainsFunc(c.rules.Models(), func(model string) bool { return c.checkersName(model) == named })
}

// checkersName returns the checker's name of a model in the rules.
func (c *formerChecker) checkersName(model string) string {
	if name, ok := c.book.Names[model]; ok {
		return name
	}
	return model
}

// rulesName returns the rules' name of a model in the checker.
func (c *formerChecker) rulesName(named string) string {
	for model, name := range c.book.Names {
		if name == named {
			return model
		}
	}
	return named
}

// lookUpModel returns the checker's model for a name in its mapping. ok is false if there is none.
func (c *formerChecker) lookUpModel(name string) (model string, ok bool) {
	if model, ok = c.book.Mapping[name]; ok {
		return model, true
	}
	if model = c.rules.Canonical(name); model != name {
		return c.checkersName(model), true
	}
	return name, false
}

// modelOf returns the checker's model of a benchmark's folder. A mapping that is not an object is a crash.
func (c *formerChecker) modelOf(folder string, mapping any) (string, error) {
	if c.isModel(folder) {
		return folder, nil
	}
	if model, ok := c.lookUpModel(folder); ok {
		return model, nil
	}
	if mapping != nil {
		own, err := mappedModel(mapping, folder)
		if err != nil || own != "" {
			return own, err
		}
	}
	model, _ := c.lookUpModel(c.rules.Guess(folder))
	return model, nil
}

var errMapping = errors.New(tree.ModelMapping + " is no object of texts")

// systemTypes maps the system types in descriptions.
var systemTypes = map[string]mlconf.SystemType{
	"datacenter": mlconf.Datacenter, "edge": mlconf.Edge,
	"datacenter,edge": mlconf.DatacenterEdge, "edge,datacenter": mlconf.DatacenterEdge,
}
