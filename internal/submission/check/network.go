package check

import (
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// checkNetworkSUT checks the name of the system under test against the division.
func (r *resultFolder) checkNetworkSUT(l *runLog) {
	named := strings.Contains(l.textOf("sut_name"), result.NetworkSUT)
	switch {
	case (r.system.network || r.Division == tree.DivisionNetwork) && !named:
		r.addReject(ruleNetwork, l.logPath(), "the run did not go through a network", l.quotedValue("sut_name"),
			"a name with "+result.NetworkSUT, "run with the system behind the network, which names itself so")
	case !r.system.network && r.Division == tree.DivisionClosed && named:
		r.addWarning(ruleNetwork, l.logPath(), "the run went through a network", l.quotedValue("sut_name"),
			"a name without "+result.NetworkSUT, "submit to the network division")
	}
}
