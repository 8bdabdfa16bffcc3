package runs

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/serving"
	"github.com/plumbline-ml/plumbline/internal/failif"
	"github.com/plumbline-ml/plumbline/internal/submission/campaign"
)

// planBench reads the flags of a job that measures a server.
func (s *suiteRun) planBench(job suiteJob) (suiteJob, error) {
	b, err := serving.NewJob(s.App, job.Job, serving.JobOptions{
		Out: filepath.Join(s.Out, filepath.FromSlash(job.Folder)), Force: s.flags.Output.Force, Quiet: s.flags.Quiet,
		JSON: s.flags.json, CommandFlags: suiteCommandFlags,
	})
	if err != nil {
		return job, err
	}
	job.bench, job.results, job.planned = b, []int{len(s.results)}, []failif.Subject{b.Measurable()}
	s.results = append(s.results, suiteResult{job: job.Job, points: pointsBelow(job), unmadeReason: interruptedReason})
	return job, nil
}

// pointsBelow returns the points of a job with paths relative to the suite's folder.
func pointsBelow(job suiteJob) []record.Run {
	all := job.bench.Points()
	for i := range all {
		all[i] = recordBelow(all[i], job.Folder)
	}
	return all
}

// runBench measures a server. It only returns errors of the suite's result.json.
func (s *suiteRun) runBench(ctx context.Context, j suiteJob) error {
	r := &s.results[j.results[0]]
	if r.unmadeReason = s.skipReason(ctx, j.Job); r.unmadeReason != "" {
		return nil
	}
	s.beginJob(ctx, &campaign.Campaign{}, j)
	began := s.Now()
	err := j.bench.Run(ctx)
	s.spent[j.Entry] += s.Now().Sub(began)
	code := exitcode.Of(err)
	r.points = pointsBelow(j)
	for i := range r.points {
		if p := &r.points[i]; p.Status == record.NotRun && code != exitcode.Valid && code != exitcode.Invalid {
			p.Skip(code)
		}
	}
	if code != exitcode.Valid {
		s.outcome.Add(code)
	}
	if code != exitcode.Valid && code != exitcode.Invalid {
		s.PrintError(fmt.Errorf("%v: %w", j, err))
	}
	return s.saveDocument()
}
