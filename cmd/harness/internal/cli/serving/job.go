package serving

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/loadgen/suggest"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/serving/shown"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/suite"
	"github.com/plumbline-ml/plumbline/internal/failif"
	"github.com/plumbline-ml/plumbline/internal/serving/sweep"
	"github.com/plumbline-ml/plumbline/serving/prompts"
	"github.com/plumbline-ml/plumbline/serving/sweepfile"
)

// ServerJob is a suite's measurement of a server.
type ServerJob struct {
	session *benchSession
	job     suite.Job
}

// JobOptions contains a suite's common settings for all of its jobs.
type JobOptions struct {
	Out                string // folder of the job
	Force, Quiet, JSON bool
	CommandFlags       []string // names of flags that belong on the command line and not in the suite
}

// FlagNames returns the flags for a suite entry that measures a server.
func FlagNames() (names []string) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(benchFlags).addFlags(flags)
	flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// NewJob reads the flags of a job without contacting the server. Its error lists all faults.
func NewJob(shellApp *shell.App, j suite.Job, asked JobOptions) (*ServerJob, error) {
	a, f, c := &app{shellApp}, &benchFlags{}, &cobra.Command{}
	f.addFlags(c.Flags())
	names := slices.DeleteFunc(FlagNames(), func(n string) bool { return slices.Contains(asked.CommandFlags, n) })
	var faults []error
	for _, flag := range j.Flags {
		switch {
		case slices.Contains(asked.CommandFlags, flag.Name):
			faults = append(faults, fmt.Errorf("%s: is given on the command line, for the whole suite", flag.Name))
		case !slices.Contains(names, flag.Name) && slices.Contains(j.Defaults, flag.Name): // a flag of harness run
		case !slices.Contains(names, flag.Name):
			faults = append(faults, suggest.Unknown("flag of harness bench", flag.Name, names))
		default:
			if err := c.Flags().Set(flag.Name, flag.Value); err != nil {
				faults = append(faults, shell.ExplainFlagError(err))
			}
		}
	}
	f.address = j.Server
	f.out, f.force, f.quiet, f.json = asked.Out, asked.Force, asked.Quiet, asked.JSON
	if err := errors.Join(faults...); err != nil {
		return nil, sdk.Usage(err)
	}
	r, err := a.readRequest(c, f)
	if err != nil {
		return nil, err
	}
	s := &benchSession{app: a, benchRequest: r, identity: j.Identity(f.label), inSuite: true}
	return &ServerJob{session: s, job: j}, nil
}

// Loads describes the points of the job, one text per load known in advance.
func (j *ServerJob) Loads() (all []string) {
	s := j.session
	for _, p := range s.loads {
		all = append(all, shown.LoadText(p))
	}
	if len(all) == 0 {
		all = append(all, s.loadText())
	}
	return all
}

// Measurable returns the figures that the job's points can have.
func (j *ServerJob) Measurable() failif.Subject { return j.session.measurableFigures(j.session.model) }

// keptSweep returns the existing sweep in the job's folder if it has the same flags. It returns nil if there is none or
// it must be replaced.
func (j *ServerJob) keptSweep() *sweepfile.Sweep {
	s := j.session
	found, err := sweepfile.Read(filepath.Join(s.out, sweepfile.Name))
	if err != nil || s.force || !slices.Equal(found.Flags, s.flags) {
		return nil
	}
	return found
}

// Points returns the records of all points in the folder, followed by records of the loads not measured yet. Their
// folders are relative to the job's.
func (j *ServerJob) Points() []record.Run {
	s := j.session
	found := j.keptSweep()
	var all []record.Run
	made := map[string]bool{}
	if found != nil {
		all = slices.Clone(found.Points)
		for i := range all {
			made[all[i].Dir] = true
			all[i].Identity.Label = s.identity.Label // the label may have changed
		}
		if found.Complete {
			return all
		}
	}
	blank := func(dir string, l record.ServingLoad, point []string) {
		r := record.Run{Model: s.model, Mode: record.ModeServing, Dir: dir, Identity: s.identity, Serving: &record.Serving{
			Load: l, Server: record.ServingServer{URLs: []string{s.address}}, Flags: []string{},
		}}
		r.Identity.Point = point
		r.Skip(exitcode.Interrupted)
		all = append(all, r)
	}
	for _, p := range s.loads {
		if name := sweep.PointFolderName(p); !made[name] {
			blank(name, record.ServingLoad{By: p.Kind, Value: p.Value()}, sweep.AddPointName(s.identity.Point, p))
		}
	}
	if len(s.loads) == 0 && len(all) == 0 {
		blank(".", record.ServingLoad{}, s.identity.Point)
	}
	return all
}

// Run measures and prints the missing points of the job. If none is missing, it does not contact the server.
func (j *ServerJob) Run(ctx context.Context) error {
	s := j.session
	if found := j.keptSweep(); found != nil && found.Complete && sweep.FilesIntact(s.out, found) {
		if !s.json {
			fmt.Fprintf(s.Stdout, "%s: it is measured, and not measured again\n", s.out)
			if err := shown.WriteSweep(s.Stdout, found, s.out, prompts.API(found.Asked.API)); err != nil {
				return err
			}
		}
		if code := exitcode.Code(found.ExitCode); code != exitcode.Valid {
			return &exitcode.Outcome{Code: code}
		}
		return nil
	}
	return s.measureMissing(ctx)
}
