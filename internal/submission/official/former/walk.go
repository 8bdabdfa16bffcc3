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

// closed reports whether the rules of the closed division apply to a division.
func closed(division string) bool { return division != tree.DivisionOpen }

func (c *judge) divisions() error {
	all, err := c.files.Dirs(".")
	if err != nil {
		return err
	}
	for _, division := range all {
		known := division == tree.DivisionClosed || division == tree.DivisionOpen ||
			c.book.Network && division == tree.DivisionNetwork
		if !known {
			continue
		}
		if c.book.Outside {
			if c.filesOutside("root", ".") {
				return nil
			}
			if c.filesOutside(division, division) {
				continue
			}
		}
		submitters, err := c.files.Dirs(division)
		if err != nil {
			c.crash(division, err)
		}
		for _, name := range submitters {
			if c.Submitter == "" || name == c.Submitter {
				c.submitter(tree.Place{Division: division, Submitter: name})
			}
		}
	}
	return nil
}

// filesOutside refuses an entry if files are next to its folders. At the top, text files for readers are permitted.
func (c *judge) filesOutside(name, dir string) bool {
	all, err := c.files.Plain(dir)
	if err != nil {
		c.crash(dir, err)
		return true
	}
	all = slices.DeleteFunc(all, func(file string) bool {
		return dir == "." && (strings.HasSuffix(file, ".md") || strings.HasSuffix(file, ".pdf"))
	})
	if len(all) > 0 {
		c.refuse(name, groupTree, "there are files beside folders: %s", strings.Join(all, ", "))
	}
	return len(all) > 0
}

func (c *judge) submitter(p tree.Place) {
	if !c.files.Exists(p.Results()) {
		return
	}
	if c.book.Shape && !c.shape(p) {
		return
	}
	var mapping any
	if file := path.Join(p.Folder(), tree.ModelMapping); c.book.OwnMapping && p.Division == tree.DivisionOpen &&
		c.files.Exists(file) {
		var err error
		if mapping, err = c.files.JSON(file); err != nil {
			c.crash(file, err)
			return
		}
	}
	systems, err := c.files.Dirs(p.Results())
	if err != nil {
		c.crash(p.Results(), err)
	}
	for _, name := range systems {
		p.System = name
		s, ok, err := c.system(p)
		if err != nil {
			c.crash(p.SystemFile(), err)
		}
		if !ok || err != nil {
			continue
		}
		s.mapping = mapping
		c.benchmarks(s)
	}
}

func (c *judge) benchmarks(s *system) {
	names, err := c.files.Dirs(s.place.Results())
	if err != nil {
		c.crash(s.place.Results(), err)
	}
	for _, name := range names {
		b := &benchmark{system: s, place: s.place, required: map[string]bool{}}
		b.place.Benchmark = name
		if err := c.benchmark(b); err != nil {
			c.crash(b.place.Results(), err)
		}
	}
}

// benchmark is a benchmark's folder of a system.
type benchmark struct {
	*system
	place    tree.Place
	model    string // name in the rules
	named    string // name in the checker
	required map[string]bool
	errors   int // as counted in the summary
}

func (c *judge) benchmark(b *benchmark) (err error) {
	if b.named, err = c.modelOf(b.place.Benchmark, b.mapping); err != nil {
		return err
	}
	b.model = c.rulesName(b.named)
	if c.Only != nil && !c.Only(b.place, b.model) {
		return nil
	}
	key := b.place.Results()
	if closed(b.place.Division) && !c.isModel(b.named) {
		c.refuse(key, groupPerformance, "the round has no model %s", b.named)
		return nil
	}
	kind := b.kind
	required, optional := c.rules.RequiredScenarios(b.model, kind), c.rules.OptionalScenarios(b.model, kind)
	if c.asks.AnySystem {
		required, optional = nil, []string{"SingleStream", "MultiStream", "Server", "Offline"}
	} else if len(required)+len(optional) == 0 || !c.isModel(b.named) {
		c.refuse(key, groupPerformance, "the model %s has no place on a system of type %s", b.named, kind)
		return nil
	}
	for _, name := range required {
		b.required[name] = true
	}
	folders, err := c.files.Dirs(key)
	if err != nil {
		return err
	}
	for _, name := range folders {
		f := &folder{benchmark: b, place: b.place}
		f.place.Scenario = name
		f.scenario = fixedScenario(name)
		if err := c.folder(f, slices.Contains(append(required, optional...), f.scenario)); err != nil {
			c.crash(f.place.Results(), err)
		}
	}
	if missing := slices.Sorted(maps.Keys(b.required)); len(missing) > 0 && closed(b.place.Division) {
		c.refuse(key, groupPerformance, "there is no valid result of %s", strings.Join(missing, ", "))
	}
	return nil
}

// fixedScenario returns a scenario's name in the rules' spelling if it is all in lower case, and unchanged otherwise.
func fixedScenario(folder string) string {
	for _, name := range []string{"SingleStream", "MultiStream", "Server", "Offline"} {
		if folder == strings.ToLower(name) {
			return name
		}
	}
	return folder
}

// isModel reports whether the checker lists a model.
func (c *judge) isModel(named string) bool {
	return slices.ContainsFunc(c.rules.Models(), func(model string) bool { return c.checkersName(model) == named })
}

// checkersName returns the checker's name of a model in the rules.
func (c *judge) checkersName(model string) string {
	if name, ok := c.book.Names[model]; ok {
		return name
	}
	return model
}

// rulesName returns the rules' name of a model in the checker.
func (c *judge) rulesName(named string) string {
	for model, name := range c.book.Names {
		if name == named {
			return model
		}
	}
	return named
}

// mapped returns the checker's model for a name in its mapping. ok is false if there is none.
func (c *judge) mapped(name string) (model string, ok bool) {
	if model, ok = c.book.Mapping[name]; ok {
		return model, true
	}
	if model = c.rules.Canonical(name); model != name {
		return c.checkersName(model), true
	}
	return name, false
}

// modelOf returns the checker's model of a benchmark's folder. A mapping that is not an object is a crash.
func (c *judge) modelOf(folder string, mapping any) (string, error) {
	if c.isModel(folder) {
		return folder, nil
	}
	if model, ok := c.mapped(folder); ok {
		return model, nil
	}
	if mapping != nil {
		own, err := ownModel(mapping, folder)
		if err != nil || own != "" {
			return own, err
		}
	}
	model, _ := c.mapped(c.rules.Guess(folder))
	return model, nil
}

var errMapping = errors.New(tree.ModelMapping + " is no object of texts")

// kinds maps the system types in descriptions.
var kinds = map[string]mlconf.SystemType{
	"datacenter": mlconf.Datacenter, "edge": mlconf.Edge,
	"datacenter,edge": mlconf.DatacenterEdge, "edge,datacenter": mlconf.DatacenterEdge,
}
