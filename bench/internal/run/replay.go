package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/plan"
	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/closedloop"
	"github.com/plumbline-ml/plumbline/internal/record/requests"
	"github.com/plumbline-ml/plumbline/internal/serving/engine"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// replayConversations sends recorded conversations instead of LoadGen's queries, saves the measurements and answers of
// each turn, and scores the answers.
func (r *runner) replayConversations(ctx context.Context, pl plugin.Plugin, p *plan.Plan, t plan.Run, rec *record.Run,
	w plugin.Workload) error {
	all := w.Info().Conversations
	if len(all) == 0 {
		return plugin.Fault(fmt.Errorf("plugin %s: a timed run of %s replays conversations, and its workload has none",
			p.Served.Name, t.Model))
	}
	counts, progress := new(engine.PointProgress), new(loadgen.Progress)
	began := time.Now()
	shown := arrival.Pattern{Kind: arrival.Users, Users: 1, Requests: w.QSL().TotalSampleCount()}
	progress.Follow(func() loadgen.ProgressSnapshot { return loopProgress(shown, counts.Now(), time.Since(began)) })
	stop := r.watch(t, progress)
	seen := r.watchOthers(progress)
	least, most := t.ReplayTimes()
	point, answers, err := closedloop.Replay(ctx, w.SUT(), w.QSL(), all, most, counts)
	stop()
	if point == nil {
		seen(new(record.Run))
		return err
	}
	recordLoop(rec, point)
	seen(rec)
	rec.Serving.FromReplay(point.Requests, shown.Requests, least)
	dir := filepath.Join(p.Out, t.Dir)
	if err := errors.Join(err, keepRequests(dir, point.Requests), keepAnswers(dir, point.Requests, answers)); err != nil {
		return err
	}
	s, err := p.ReplayScoring().Log(ctx, pl, filepath.Join(dir, record.AnswersFile),
		p.Embedded && rec.AnsweredByEmbedded())
	if err != nil {
		return exitcode.OrData(err)
	}
	err = errors.Join(s.WriteFiles(dir), s.WriteExhibits(dir))
	rec.Serving.Replay.FromScore(s.Score, s.SHA256)
	return sdk.Usage(err)
}

// keepRequests writes the measurements of each turn.
func keepRequests(dir string, all []metrics.Request) error {
	var b bytes.Buffer
	if err := requests.Write(&b, all, metrics.FigureRules{}); err != nil {
		return err
	}
	return sdk.Usage(wholefile.Write(filepath.Join(dir, requests.JSONLName), b.Bytes(), 0o644))
}

// keepAnswers writes the payloads of all sent turns in order, in the form of LoadGen's accuracy logs.
func keepAnswers(dir string, all []metrics.Request, answers closedloop.ReplayAnswers) error {
	var b bytes.Buffer
	log := mllog.NewAccuracyWriter(&b)
	var faults []error
	for _, r := range all {
		if payload, ok := answers[r.Row]; ok {
			faults = append(faults, log.Write(uint64(r.Index), uint64(r.Row), payload))
		}
	}
	if err := errors.Join(append(faults, log.Close())...); err != nil {
		return err
	}
	return sdk.Usage(wholefile.Write(filepath.Join(dir, record.AnswersFile), b.Bytes(), 0o644))
}
