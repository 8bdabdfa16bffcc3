package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/runs"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/suite"
)

// readSuite returns the models of a suite and stores their flags, which take precedence over the command line's. The
// rules determine the runs and their number.
func (r *runFlags) readSuite(c *cobra.Command, args []string) (models []string, err error) {
	if len(args) > 1 {
		return nil, fmt.Errorf("%q: want one suite, or models", args)
	}
	s, err := suite.ReadSuite(args[0])
	if err != nil {
		return nil, err
	}
	r.Output.Dir = cmp.Or(r.Output.Dir, s.Out)
	given := suite.ListFlags(c.Flags(), foreignFlags(c))
	r.listed = map[string]suite.Job{}
	var faults []error
	for _, j := range s.Jobs {
		switch _, twice := r.listed[j.Model]; {
		case j.Server != "":
			faults = append(faults, fmt.Errorf("%v: a submission has no servers that harness bench measures", j))
			continue
		case j.Task != nil || len(j.Point) > 0 || j.Repeats > 1:
			faults = append(faults, fmt.Errorf("%v: a submission has no tasks of MLMark, no matrix and no repeats", j))
		case twice:
			faults = append(faults, fmt.Errorf("%s is listed twice", j.Model))
		}
		j.Flags = suite.OverrideFlags(j.Flags, given)
		r.listed[j.Model] = j
		models = append(models, j.Model)
	}
	return models, errors.Join(faults...)
}

// foreignFlags returns the flags of a command that harness run lacks or that have another meaning there.
func foreignFlags(c *cobra.Command) []string {
	run := pflag.NewFlagSet("", pflag.ContinueOnError)
	runs.AddModelFlags(run, new(bench.Request))
	others := slices.Clone(ownFlagNames)
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if run.Lookup(f.Name) == nil {
			others = append(others, f.Name)
		}
	})
	return others
}

// applySuite applies the suite's flags for a model.
func (r *runFlags) applySuite(one *runs.Flags, j suite.Job) error {
	request, err := runs.JobRequest(j)
	if err != nil {
		return err
	}
	request.Output.Dir, request.Output.Force = r.Output.Dir, r.Output.Force
	request.Data.Path = cmp.Or(request.Data.Path, one.Request.Data.Path)
	request.Data.AccuracyPath = cmp.Or(request.Data.AccuracyPath, one.Request.Data.AccuracyPath)
	request.Data.AuditPath = cmp.Or(request.Data.AuditPath, one.Request.Data.AuditPath)
	one.Request = request
	settled := *r
	settled.Flags = one
	return settled.completeFlags()
}
