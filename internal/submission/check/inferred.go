package check

import (
	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// checkInferred checks results that are inferred from a run of another scenario.
func (r *resultFolder) checkInferred() {
	from := r.performance.logScenario()
	if !r.isNamed || from == r.scenario || r.scenario == "Interactive" && from == "Server" {
		return
	}
	do := "file a run of " + r.scenario
	switch {
	case !result.IsInferable(from, r.scenario):
		r.addReject(ruleInferred, r.performance.logPath(), "the run is of another scenario",
			r.performance.quotedValue("effective_scenario"),
			r.scenario, do)
	case r.system.kind != "" && r.system.kind != mlconf.Edge && r.system.kind != mlconf.DatacenterEdge:
		r.addReject(ruleInferred, r.performance.logPath(), "only edge systems have inferred results", string(r.system.kind),
			"edge", do)
	default:
		r.inferred = true
		r.addFinding(Note, ruleInferred, r.performance.logPath(), "the result is inferred", from, r.scenario,
			"nothing, if it is meant so")
	}
}
