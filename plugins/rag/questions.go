package rag

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/datasets/frames"
	"github.com/plumbline-ml/plumbline/internal/synthetic/encyclopedia"
	"github.com/plumbline-ml/plumbline/plugins/rag/internal/agent"
	"github.com/plumbline-ml/plumbline/plugins/rag/internal/index"
	"github.com/plumbline-ml/plumbline/plugins/rag/internal/pgvector"
	"github.com/plumbline-ml/plumbline/plugins/rag/internal/standin"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// questionWorkload answers questions. It is the workload of e2e-rag-qna.
type questionWorkload struct {
	*ragSettings
	questions    []frames.FramesQuestion
	files        map[string]backend.Model
	models       *stepModels
	embedded     bool // questions, pages and language models are embedded
	zeroPayloads bool // payloads have the reference's form: a 32-bit zero for each token

	buildOnce sync.Once
	store     *pgvector.Store // replaces db; nil: not used
	db        *index.Database // for embedded pages, nil until it is built
	buildErr  error

	findings answerFindings
}

// answerFindings contains observations about the answers of a run.
type answerFindings struct {
	answers, unanswered      atomic.Int64
	fallbacks                [agent.StepCount]atomic.Int64
	uncounted                atomic.Int64
	mu                       sync.Mutex
	firstFaults, firstErrors []string // the first ones
	failed                   int
}

var (
	_ sdk.RunnerOf[*frames.FramesQuestion] = (*questionWorkload)(nil)
	_ sdk.Overlapper                       = (*questionWorkload)(nil)
	_ sdk.WorkloadInfoAdder                = (*questionWorkload)(nil)
	_ sdk.Noter                            = (*questionWorkload)(nil)
	_ sdk.ClientWorker                     = (*questionWorkload)(nil)
)

// openQuestions opens the questions, the database and the clients of the servers.
func (o serverOpener) openQuestions(ctx context.Context, r *manifest.Request) (sdk.Workload, error) {
	s := readSettings(r)
	a := &questionWorkload{ragSettings: &s, questions: readQuestions(r), files: r.Files, embedded: r.Dataset == "",
		zeroPayloads: r.Use != sdk.UseAccuracy}
	switch {
	case r.Verifying:
	case s.Database != "":
		var err error
		if a.db, err = index.Open(s.Database); err != nil {
			r.AddFault(sdk.Data(fmt.Errorf("parameter database: %w", err)))
		}
	case !a.embedded && a.questions != nil && s.Index == "":
		r.Params.AddFault("database", errors.New("want the file that a run of e2e-rag-db wrote, or index="))
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	if !r.Verifying {
		var err error
		if a.store, err = s.openStore(ctx); err != nil {
			return nil, err
		}
		if a.models, err = openModels(ctx, o.servers, &s); err != nil {
			return nil, errors.Join(err, a.Close())
		}
	}
	return sdk.Runs(a), nil
}

// readQuestions returns the questions of a request.
func readQuestions(r *manifest.Request) []frames.FramesQuestion {
	var all []frames.FramesQuestion
	if r.Dataset == "" {
		for i, q := range encyclopedia.Eval().Questions() {
			all = append(all, frames.FramesQuestion{Row: i, Prompt: q.Prompt, Answer: q.Answer, Links: q.URLs[:]})
		}
	} else {
		var err error
		if all, err = frames.OpenQuestions(r.Dataset); err != nil {
			r.AddFault(sdk.Data(err))
			return nil
		}
	}
	return all[:r.SampleCount(len(all), "questions")]
}

func (a *questionWorkload) Len() int { return len(a.questions) }

// Parts returns the two encoders.
func (a *questionWorkload) Parts() []sdk.Part {
	return []sdk.Part{
		{Name: embedderPart, Model: completeEncoder(a.files[embedderPart]), RunsPerSample: 4, MaxBatch: textsPerRun},
		{Name: rerankerPart, Model: completeEncoder(a.files[rerankerPart]), RunsPerSample: 8, MaxBatch: a.loop.SearchDepth},
	}
}

// Load returns question i.
func (a *questionWorkload) Load(_ context.Context, i int) (*frames.FramesQuestion, error) {
	return &a.questions[i], nil
}

// MaxBatch returns 1, because each question needs different requests.
func (a *questionWorkload) MaxBatch() int { return 1 }

// ExtraRuns returns the number of additional concurrent questions. Questions mostly wait for servers.
func (a *questionWorkload) ExtraRuns() int { return a.Concurrency - 1 }

// Close closes the clients.
func (a *questionWorkload) Close() error {
	if a.store != nil {
		defer a.store.Close()
	}
	if a.models == nil {
		return nil
	}
	return a.models.closeAll()
}

// NewRun returns a run for the questions of one worker. The first call builds the database of the embedded pages, or
// checks that the user's database fits the embedder.
func (a *questionWorkload) NewRun(s sdk.Sessions) (sdk.RunOf[*frames.FramesQuestion], error) {
	run := &questionRun{
		questionWorkload: a, embedder: &textEncoder{session: s.Part(embedderPart), tokens: a.embedderRows},
		reranker: &textEncoder{session: s.Part(rerankerPart), tokens: a.rerankerRows},
	}
	a.buildOnce.Do(func() { a.buildErr = a.prepareDatabase(context.Background(), run.embedder) })
	return run, a.buildErr
}

// prepareDatabase builds the database of the embedded pages, or checks that the embedder's vectors fit the user's
// database.
func (a *questionWorkload) prepareDatabase(ctx context.Context, e *textEncoder) error {
	if a.db == nil && a.store == nil {
		b := newDatabaseBuilder(newGeneratedPages(), "")
		for i := range b.pages.Len() {
			page, err := b.makePage(ctx, e, i)
			if err != nil {
				return err
			}
			if _, err := b.finishPage(ctx, i, page); err != nil {
				return err
			}
		}
		a.db = b.db
		return nil
	}
	v, err := e.embedTexts(ctx, []string{"dimension"})
	if err != nil {
		return err
	}
	what, dim := "database", 0
	if a.store != nil {
		what = "index: " + a.store.Name()
		if dim, err = a.store.Dim(ctx); err != nil {
			return sdk.Data(fmt.Errorf("parameter index: %w", err))
		}
	} else {
		dim = a.db.Dim()
	}
	if len(v[0]) != dim {
		return sdk.Data(fmt.Errorf("parameter %s: vectors of %d values, the embedder makes %d: it was made with another one",
			what, dim, len(v[0])))
	}
	return nil
}

// questionRun answers the questions of one worker.
type questionRun struct {
	*questionWorkload
	embedder, reranker *textEncoder
}

// answerPayload is the payload of an answer as JSON. It contains what the reference stores outside LoadGen's log. The
// reference's payload contains a zero for each token instead.
type answerPayload struct {
	Row       int            `json:"row"`
	Query     string         `json:"query"`
	Answer    string         `json:"answer"`
	URLs      []string       `json:"retrieved_urls"`
	Rounds    int            `json:"rounds"`
	Searches  int            `json:"searches"`
	Fallbacks map[string]int `json:"fallbacks,omitempty"`
	Error     string         `json:"error,omitempty"`
}

// Run answers questions.
func (r *questionRun) Run(ctx context.Context, questions []*frames.FramesQuestion, p *sdk.Payloads) error {
	for _, q := range questions {
		w := &questionEnvironment{questionRun: r, row: q.Row}
		got, err := agent.Run(ctx, q.Prompt, r.loop, w)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil && !errors.Is(err, agent.ErrReply) && !errors.Is(err, agent.ErrEnd) {
			return fmt.Errorf("question %d: %w", q.Row, err)
		}
		answer := answerPayload{Row: q.Row, Query: q.Prompt, Answer: got.Answer, URLs: got.URLs, Rounds: got.Rounds,
			Searches: got.Searches, Fallbacks: map[string]int{}}
		for s, n := range got.Fallbacks {
			if n > 0 {
				answer.Fallbacks[agent.Step(s).String()] = n
			}
		}
		if err != nil {
			answer.Answer, answer.Error, w.tokens = "Error", err.Error(), 0
		}
		if w.tokens < 1 {
			w.tokens = max(1, len(strings.Fields(answer.Answer)))
		}
		r.findings.addAnswer(&answer, &got)
		if err := r.appendPayload(&answer, w.tokens, p); err != nil {
			return err
		}
	}
	return nil
}

func (r *questionRun) appendPayload(a *answerPayload, tokens int, p *sdk.Payloads) error {
	if r.zeroPayloads {
		p.AppendTokens(make([]byte, 4*tokens), tokens)
		return nil
	}
	text, err := json.Marshal(a)
	if err == nil {
		p.AppendTokens(text, tokens)
	}
	return err
}

// questionEnvironment is the agent.Environment of a question.
type questionEnvironment struct {
	*questionRun
	row    int
	tokens int // number of tokens in the last reply of the answer step
}

// Ask implements agent.Environment.
func (w *questionEnvironment) Ask(ctx context.Context, s agent.Step, round int, prompt string) (string, error) {
	text, used, err := w.models.askStep(ctx, s, w.row, round, prompt)
	if s == agent.AnswerStep && err == nil {
		if w.tokens = used; used == backend.Uncounted {
			w.findings.uncounted.Add(1)
		}
	}
	return text, err
}

// Search implements agent.Environment.
func (w *questionEnvironment) Search(ctx context.Context, query string, k int) ([]agent.Document, error) {
	v, err := w.embedder.embedTexts(ctx, []string{query})
	if err != nil {
		return nil, err
	}
	if w.store != nil {
		found, err := w.store.Search(ctx, v[0], k)
		if err != nil {
			return nil, fmt.Errorf("parameter index: %w", err)
		}
		documents := make([]agent.Document, len(found))
		for i, p := range found {
			documents[i] = agent.Document{URL: p.URL, Text: p.Text}
		}
		return documents, nil
	}
	documents := []agent.Document{}
	for _, h := range w.db.Search(v[0], k) {
		p := &w.db.Passages[h.ID]
		documents = append(documents, agent.Document{URL: p.URL, Text: p.Text})
	}
	return documents, nil
}

// Rerank implements agent.Environment.
func (w *questionEnvironment) Rerank(ctx context.Context, query string, docs []agent.Document) ([]float32, error) {
	texts := make([]string, len(docs))
	for i, d := range docs {
		texts[i] = d.Text
	}
	return w.reranker.scoreTexts(ctx, query, texts)
}

// maxFaults limits the number of faults in a note.
const maxFaults = 3

func (s *answerFindings) addAnswer(a *answerPayload, result *agent.LoopResult) {
	s.answers.Add(1)
	for step, n := range result.Fallbacks {
		s.fallbacks[step].Add(int64(n))
	}
	if a.Answer == "" {
		s.unanswered.Add(1)
	}
	if a.Error == "" && len(result.Faults) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range result.Faults {
		if len(s.firstFaults) < maxFaults {
			s.firstFaults = append(s.firstFaults, fmt.Sprintf("question %d: %s", a.Row, f))
		}
	}
	if a.Error != "" {
		if s.failed++; len(s.firstErrors) < maxFaults {
			s.firstErrors = append(s.firstErrors, fmt.Sprintf("question %d: %s", a.Row, a.Error))
		}
	}
}

// RunNotes returns notes about steps with unreadable replies and questions that ended in an error.
func (a *questionWorkload) RunNotes() (r sdk.RunNotes) {
	s := &a.findings
	if a.queries.url == manifest.Embedded {
		r.Notes = append(r.Notes, standin.Label+" in the place of all language models")
	}
	all := s.answers.Load()
	var steps []string
	for step := range s.fallbacks {
		if n := s.fallbacks[step].Load(); n > 0 {
			steps = append(steps, fmt.Sprintf("%v %d", agent.Step(step), n))
		}
	}
	if len(steps) > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("steps whose reply could not be read, of %d questions: %s; the first: %s", all,
			strings.Join(steps, ", "), strings.Join(s.firstFaults, "; ")))
	}
	if n := s.unanswered.Load(); n > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d of %d questions were not answered: nothing was kept in any round", n, all))
	}
	if n := s.uncounted.Load(); n > 0 {
		r.Estimates = append(r.Estimates, fmt.Sprintf("the tokens of %d answers are their words, for the server counts none",
			n))
	}
	if s.failed > 0 {
		r.Estimates = append(r.Estimates, fmt.Sprintf("%d of %d questions ended in an error; the first: %s", s.failed, all,
			strings.Join(s.firstErrors, "; ")))
	}
	return r
}

// officialPromptSum is the SHA-256 of the prompts of the reference's steps.
const officialPromptSum = "8bdb1959341608903a1aa8a6cd2a3f15386a9c6f95d2f1d83d046b728ee8b4f6"

// AddInfo adds the names of the language models, and the reasons why a run does not belong to the closed division.
func (a *questionWorkload) AddInfo(info *sdk.WorkloadInfo) {
	if info.BackendInfo == nil {
		info.BackendInfo = map[string]string{}
	}
	info.BackendInfo["prompts_sha256"] = a.loop.Prompts.Sum
	for name, s := range map[string]serverSettings{"llm": a.queries, "relevance_llm": a.relevance} {
		what := s.url
		if s.url == manifest.Embedded {
			what = standin.Label
		}
		info.BackendInfo[name] = strings.TrimSpace(what + " " + s.model)
	}
	if a.db != nil {
		info.BackendInfo["passages"] = fmt.Sprint(a.db.Len())
	}
	if a.store != nil {
		info.BackendInfo["index"] = "pgvector at " + a.store.Name()
		info.OpenReasons = append(info.OpenReasons, "passages are searched by pgvector, not by the official index")
	}
	if a.embedded {
		return
	}
	open := func(holds bool, reason string) {
		if holds {
			info.OpenReasons = append(info.OpenReasons, reason)
		}
	}
	open(a.loop.Prompts.Sum != officialPromptSum, "prompts have other words than those of the official program")
	open(a.loop.MaxRounds != 5, fmt.Sprintf("%d rounds at most, the official scripts have 5", a.loop.MaxRounds))
	open(a.loop.SearchDepth != 10 || a.loop.MaxQueries != 3,
		"other searches than the official ones: 10 passages, 3 queries")
	if a.db != nil {
		open(a.db.GraphParams != index.OfficialParams(), fmt.Sprintf("the index has the parameters %+v, want %+v",
			a.db.GraphParams,
			index.OfficialParams()))
	}
}

// ClientWork lists all work except the language models'.
func (a *questionWorkload) ClientWork(_, _ []backend.TensorInfo, _ int) []string {
	return []string{"the rounds of each question: prompts, replies read, searches in the index, passages reranked"}
}
