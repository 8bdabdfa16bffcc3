// Package agentic is the benchmark of agents at the edge, qwen3.6-27b. It replays recorded conversations of an agent
// that works in a shell, turn by turn, and asks questions whose answers are function calls.
//
// In scope: requests to a server and the scoring of answers, compatible with MLPerf Inference's edge agentic benchmark.
// Out of scope: reading data sets and grading calls (their own packages), and sending turns in order (the harness).
package agentic

import (
	"context"
	_ "embed"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/bfcl"
	"github.com/plumbline-ml/plumbline/datasets/conversations"
	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
	"github.com/plumbline-ml/plumbline/internal/synthetic/tooluse"
	"github.com/plumbline-ml/plumbline/plugins/agentic/internal/standin"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

//go:embed manifest.json
var manifestText string

// New returns the benchmark.
func New() sdk.Benchmark {
	return manifest.Benchmark(manifestText, standin.ModelFiles(), manifest.Implementation{
		Open: openWorkload, Score: openScorer, Params: []any{requestSettings{}},
		Export: manifest.DatasetExport(export.ToolSets()), Samples: tooluse.CountTurns(),
	})
}

// StandIn returns the scripted backend that replaces a server, and its name.
func StandIn() (name string, b backend.Backend) { return standin.Name, standin.ScriptBackend{} }

// openWorkload makes the prompts: questions in an accuracy run, turns in other runs.
func openWorkload(_ context.Context, r *manifest.Request) (sdk.Workload, error) {
	s := readSettings(r)
	w := &toolWorkload{file: r.File(), scripted: isScripted(r.Backend)}
	if r.Use == sdk.UseAccuracy || r.Verifying && holdsQuestions(r.Dataset) {
		w.prompts = s.questionPrompts(openQuestions(r, &s))
	} else if set := openTurns(r); set != nil {
		var err error
		w.prompts, w.conversations, err = s.turnPrompts(set)
		w.userRecording = r.Dataset != "" && set.SHA256 != conversations.OfficialSHA256
		r.AddFault(err)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	w.requestSettings = s
	return sdk.Prompts(w), nil
}

// isScripted reports whether the plugin's script answers. backendName is the name of the backend.
func isScripted(backendName string) bool { return backendName == standin.Name || backendName == "" }

// holdsQuestions reports whether the data set at path contains questions, for accuracy runs, instead of recorded
// conversations. path must exist. A table of questions and a folder without recorded conversations count as questions.
func holdsQuestions(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return err == nil && strings.HasPrefix(filepath.Base(path), bfcl.Table)
	}
	_, err := os.Stat(filepath.Join(path, conversations.OfficialName))
	return errors.Is(err, os.ErrNotExist)
}

func openScorer(_ context.Context, r *manifest.Request) (sdk.Scorer, error) {
	s := readSettings(r)
	if r.Use == sdk.UseReplay {
		set := openTurns(r)
		if err := r.Err(); err != nil {
			return nil, err
		}
		scorer := newReplayScorer(set)
		log := scoring.Log{Samples: len(set.Turns), Exhibits: r.Exhibits, Gallery: turnGallery{scorer}.rateTurn}
		return scoring.New(scoring.OfEntries(scorer.addTurn, scorer.replayResult), log, scorer.scoreReplay), nil
	}
	samples := openQuestions(r, &s)
	if err := r.Err(); err != nil {
		return nil, err
	}
	scorer, err := newCallScorer(samples)
	if err != nil {
		return nil, sdk.Data(err)
	}
	log := scoring.Log{
		Samples: len(samples), First: true, Within: true, Exhibits: r.Exhibits, Gallery: callGallery{scorer}.rateAnswer,
	}
	return scoring.New(scorer, log, scorer.scoreCalls), nil
}

// openQuestions opens the questions of a request: the official selection, or all of them.
func openQuestions(r *manifest.Request, s *requestSettings) []bfcl.FunctionSample {
	open := func() ([]bfcl.FunctionSample, error) { return bfcl.Open(r.Dataset) }
	if r.Dataset == "" {
		open = tooluse.Samples
	}
	all, err := open()
	if err == nil && !s.AllQuestions {
		all, err = bfcl.OfficialSelection().SelectFrom(all)
	}
	if err != nil {
		r.AddFault(sdk.Data(err))
		return nil
	}
	return all[:min(r.SampleCount(len(all), "questions"), len(all))]
}

// openTurns opens the conversations of a request. If this fails, it adds a fault and returns nil.
func openTurns(r *manifest.Request) *conversations.ConversationSet {
	open := func() (*conversations.ConversationSet, error) { return conversations.Open(r.Dataset) }
	if r.Dataset == "" {
		open = tooluse.Conversations
	}
	set, err := open()
	if err != nil {
		r.AddFault(sdk.Data(err))
		return nil
	}
	set.Turns = set.Turns[:min(r.SampleCount(len(set.Turns), "turns"), len(set.Turns))]
	return set
}
