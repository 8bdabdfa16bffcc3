package record

import "github.com/plumbline-ml/plumbline/loadgen"

// powerRule is the only rule of a VALID run that is not LoadGen's.
var powerRule = loadgen.Rule{
	Name: "power", Scenarios: "runs with --power",
	Met:    "the meter gave readings above zero from the beginning of the run to its end",
	Source: "power measurement rules of MLCommons", Code: "Run.FromPower",
}

// PowerRule returns the rule that a run with a power meter must meet in addition to those of LoadGen. Its Code is in
// this package.
func PowerRule() loadgen.Rule { return powerRule }
