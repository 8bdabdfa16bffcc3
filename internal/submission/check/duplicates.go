package check

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unique"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// checkDuplicates checks for runs filed for several results, and for results filed twice.
func (c *treeChecker) checkDuplicates() {
	runs, results := map[string][]*resultFolder{}, map[string][]*resultFolder{}
	for _, r := range c.results {
		if r.identity != "" {
			runs[r.identity] = append(runs[r.identity], r)
		}
		results[r.intendedResult()] = append(results[r.intendedResult()], r)
	}
	for _, list := range runs {
		for _, r := range list {
			r.checkShared(list)
		}
	}
	for _, list := range results {
		for _, r := range list[1:] {
			r.addReject(ruleDuplicates, r.Results(), "the result is there twice", list[0].Results(), "one folder",
				"remove the one that does not count: the official checker lists both")
		}
	}
}

// checkShared checks whether another result uses the same run.
func (r *resultFolder) checkShared(list []*resultFolder) {
	other := slices.IndexFunc(list, func(o *resultFolder) bool { return !r.mayShare(o) && !r.isSameMachine(o) })
	if other >= 0 {
		r.addReject(ruleDuplicates, detailLogPath(r), whatFiledTwice, detailLogPath(list[other]), "a run of its own",
			"file the run where it was made, and run again for the other").Other = detailLogPath(list[other])
		return
	}
	if other = slices.IndexFunc(list, func(o *resultFolder) bool { return !r.mayShare(o) }); other >= 0 {
		r.addWarning(ruleDuplicates, detailLogPath(r), "the run is filed for another description of the same machine",
			detailLogPath(list[other]), "one description",
			"describe the machine once, as datacenter,edge where it is both").Other = detailLogPath(list[other])
	}
}

// descriptionTypeFields lists the fields of a description that may differ between two descriptions of one machine.
var descriptionTypeFields = []string{"system_type", "system_type_detail", "system_name"}

// isSameMachine reports whether two results belong to one machine that its submitter describes twice, for two types of
// systems or under two names.
func (r *resultFolder) isSameMachine(o *resultFolder) bool {
	one := r.Submitter == o.Submitter && mlconf.Family(r.model) == mlconf.Family(o.model) &&
		(r.scenario == o.scenario || r.inferred || o.inferred)
	return one && r.System != o.System && r.system.fields != nil && o.system.fields != nil &&
		r.system.machineHandle() == o.system.machineHandle()
}

// machineHandle returns a handle that is equal for two descriptions of one machine. It covers all fields except
// descriptionTypeFields, without the name of the system's folder. It is computed only once, because a run can be filed
// for thousands of results, which are compared in pairs.
func (s *systemFolder) machineHandle() unique.Handle[string] {
	if s.handle == (unique.Handle[string]{}) {
		fields := maps.Clone(s.fields)
		maps.DeleteFunc(fields, func(name string, _ any) bool { return slices.Contains(descriptionTypeFields, name) })
		for name, value := range fields {
			if text, is := value.(string); is {
				fields[name] = strings.ReplaceAll(text, s.System.System, "")
			}
		}
		s.handle = unique.Make(fmt.Sprintf("%#v", fields)) // printed in order of names
	}
	return s.handle
}

// intendedResult returns the path of the result that a folder is for, whatever the folder's name. In the open division,
// several benchmarks of a submitter can correspond to one benchmark of the rules.
func (r *resultFolder) intendedResult() string {
	p := r.Place
	p.Scenario = r.scenario
	if r.isClosed() {
		p.Benchmark = r.model
	}
	return p.Results()
}

func detailLogPath(r *resultFolder) string { return path.Join(r.Run(), tree.DetailLog) }

// mayShare reports whether two results of a system can share one run: inferred scenarios, the lower accuracy of a
// benchmark, and the same result in two divisions.
func (r *resultFolder) mayShare(o *resultFolder) bool {
	switch {
	case r == o:
		return true
	case r.Submitter != o.Submitter || r.System != o.System || mlconf.Family(r.model) != mlconf.Family(o.model):
		return false
	case r.scenario != o.scenario:
		return r.inferred || o.inferred
	}
	return r.model != o.model || r.Division != o.Division
}
