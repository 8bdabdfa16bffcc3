package drive

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/internal/serving/client"
	"github.com/plumbline-ml/plumbline/internal/serving/engine"
	files "github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/plan"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/score"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/serving"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// AccuracyFile is the file of a model's accuracy run.
type AccuracyFile struct {
	Path     string
	Model    string
	Settings endpoints.ClientSettings
}

// AccuracyFileOf returns the accuracy file of a plan: its own, or else its performance set.
func AccuracyFileOf(p *plan.Plan, rules *endpoints.Rules) AccuracyFile {
	return AccuracyFile{Path: cmp.Or(p.Client.AccuracySet, p.Client.PerformanceSet), Model: p.Model,
		Settings: rules.Clients[p.Model]}
}

// accuracySets contains the sets of an accuracy run, their rows, and the rows' requests in the file's order.
type accuracySets struct {
	sets []score.ScoredSet
	rows []score.SampleRow
	asks *prompts.DrawnRequests
}

// drivenSets returns the sets of the accuracy run in the form of a run's configuration.
func (f AccuracyFile) drivenSets() (all []files.AccuracySet) {
	sets, _ := score.SetsOfModel(f.Settings) // checked when the rules were read
	for _, s := range sets {
		all = append(all, files.AccuracySet{Name: s.Name, Path: f.Path, Method: s.Method, GroundTruth: s.Truth,
			Extractor: s.Extractor, Repeats: s.Repeats})
	}
	return all
}

// promptOptions returns the options for reading the file.
func (f AccuracyFile) promptOptions(rules *endpoints.Rules) prompts.PromptOptions {
	o := SetOptions(f.Path, f.Model, rules)
	o.Order, o.Keep = prompts.InFileOrder, append(score.TruthColumns(f.Settings), score.SetColumn)
	return o
}

// splitSets assigns the requests of a file to their sets.
func (f AccuracyFile) splitSets(set *prompts.PromptSet) (a accuracySets, err error) {
	a.asks = set.Draw(prompts.DrawOptions{N: set.Rows(), Order: prompts.InOrder})
	a.rows = make([]score.SampleRow, set.Rows())
	for i := range a.rows {
		r := &a.rows[i]
		r.Truths, r.Prompt = map[string]string{}, promptKey(a.asks.At(i))
		r.Set, _ = valueText(set.Value(i, score.SetColumn))
		for _, column := range score.TruthColumns(f.Settings) {
			if text, ok := valueText(set.Value(i, column)); ok {
				r.Truths[column] = text
			}
		}
	}
	a.sets, err = score.SplitRows(f.Settings, a.rows)
	return a, err
}

// promptKey returns a key that is equal for equal prompts.
func promptKey(a prompts.Ask) string {
	sum := sha256.New()
	_, _ = io.WriteString(sum, a.Text+"\x00"+string(a.Messages)+"\x00")
	_ = binary.Write(sum, binary.LittleEndian, a.IDs)
	return string(sum.Sum(nil))
}

// valueText returns a JSON value as text. ok is false if there is none.
func valueText(raw json.RawMessage) (text string, ok bool) {
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return "", false
	case raw[0] == '"':
		return text, json.Unmarshal(raw, &text) == nil
	}
	return string(raw), true
}

// CheckAccuracyFile lists the differences of a model's accuracy file from the official sets, one per line. It returns
// an error if the file cannot be used for an accuracy run.
func CheckAccuracyFile(f AccuracyFile, rules *endpoints.Rules) (lines []string, err error) {
	o := f.promptOptions(rules)
	o.Table = client.OpenParquet
	set, err := prompts.ReadSet(o)
	if err != nil {
		return nil, err
	}
	a, err := f.splitSets(set)
	if err != nil {
		return nil, err
	}
	issued := 0
	for _, s := range a.sets {
		issued += len(s.RowsToSend())
		if s.Method == score.ProgramMethod {
			lines = append(lines, fmt.Sprintf("%s: programs are not executed by this client: the set gets no score", s.Name))
		}
	}
	if targets, ok := rules.TargetsOf(f.Model); ok && issued != targets.Samples {
		lines = append(lines, fmt.Sprintf("%s makes %d requests, and the official accuracy run of %s %d",
			filepath.Base(f.Path), issued, f.Model, targets.Samples))
	}
	return lines, nil
}

// MeasureAccuracy implements Client. It sends the sets of the accuracy file one after the other at the point's load.
// Each row is repeated as often as its set requires, in the file's order and without salt.
func (o *OwnClient) MeasureAccuracy(ctx context.Context, j PointJob) (AccuracyRun, error) {
	run := AccuracyRun{Began: time.Now()}
	if o.Accuracy.Settings.SWEBench != nil {
		return o.measureSWEBench(ctx, j)
	}
	if _, err := CheckAccuracyFile(o.Accuracy, o.Rules); err != nil {
		run.Missing = fmt.Sprintf("client.accuracy_set of the plan: %v", err)
		return run, nil
	}
	wire, err := o.Connection.Connect(ctx, o.Endpoint)
	if err != nil {
		return run, err
	}
	defer func() { _ = wire.Close() }() // there is no buffered data
	load := arrival.Pattern{Kind: arrival.Users, Users: j.Point.Concurrency, Seed: j.Seeds.Scheduler}
	kept := &answerStore{}
	s, err := serving.OpenSession(wire, serving.Plan{Connection: o.Connection, Prompts: o.Accuracy.promptOptions(o.Rules),
		Loads: []arrival.Pattern{load}, Base: load, WholeWindow: true, Received: kept.addAnswer})
	if err != nil {
		return run, err
	}
	if err := s.AskFirst(ctx, o.noteOnce); err != nil {
		return run, err
	}
	a, err := o.Accuracy.splitSets(s.Set)
	if err != nil {
		return run, sdk.Data(err)
	}
	var entries []files.ScoreEntry
	var answers []storedAnswer
	for _, set := range a.sets {
		kept.beginSet(set.Name)
		took, err := measureSet(ctx, j, s, load, &set, a.asks, kept)
		if err != nil {
			return run, err
		}
		got := kept.texts()
		entry, err := set.Score(a.rows, got, took)
		if err != nil {
			return run, sdk.Data(err)
		}
		entries, answers = append(entries, entry), append(answers, kept.all...)
		run.Scores = append(run.Scores, describeEntry(entry))
		run.Seconds += took.Seconds()
	}
	return run, cmp.Or(files.WriteScores(j.Dir, entries), writeAnswers(j.Dir, answers))
}

// describeEntry returns the score of a data set as a line.
func describeEntry(e files.ScoreEntry) string {
	text := fmt.Sprintf("%s: %d answers in %s; ", e.Dataset, e.Samples, formatSeconds(e.Took))
	switch v := e.Score.(type) {
	case nil:
		return text + "no score"
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			text += fmt.Sprintf("%s %v, ", name, v[name])
		}
		text = strings.TrimSuffix(text, ", ")
	default:
		text += fmt.Sprintf("score %.4v", v)
	}
	if !e.Complete {
		text += ", incomplete"
	}
	return text
}

// chosenRows contains the requests of some rows.
type chosenRows struct {
	asks *prompts.DrawnRequests
	rows []int
}

// Len implements engine.Asks.
func (c chosenRows) Len() int { return len(c.rows) }

// At implements engine.Asks.
func (c chosenRows) At(i int) prompts.Ask { return c.asks.At(c.rows[i]) }

// measureSet sends all requests of a set and returns the duration.
func measureSet(ctx context.Context, j PointJob, s *serving.Session, load arrival.Pattern, set *score.ScoredSet,
	asks *prompts.DrawnRequests, kept *answerStore) (time.Duration, error) {
	chosen := chosenRows{asks, set.RowsToSend()}
	load.Requests = len(chosen.rows)
	if j.Point.Offline == plan.Dedicated {
		load = arrival.Pattern{Kind: arrival.Maximum, Requests: load.Requests, Seed: load.Seed}
	}
	telling, done := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() { reportAnswers(telling, j, set.Name, kept, len(chosen.rows)) })
	began := time.Now()
	point, err := engine.Measure(ctx, s.Settings.Asker, engine.PointPlan{Asks: chosen, Lazy: true, Load: load})
	done()
	group.Wait()
	switch {
	case err != nil:
		return 0, err
	case ctx.Err() != nil:
		return 0, context.Cause(ctx)
	case point.StopReason == engine.ByErrors:
		return 0, plugin.Fault(fmt.Errorf("the server fails: %s", firstFault(point.Requests, s.Settings.Rules)))
	}
	return time.Since(began), nil
}

// reportAnswers reports the number of answers until ctx ends.
func reportAnswers(ctx context.Context, j PointJob, set string, kept *answerStore, all int) {
	ticks := time.NewTicker(watchInterval)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		if j.Report != nil {
			j.Report(accuracyState{j.Point.Name(), set, kept.count(), all})
		}
	}
}

// accuracyState is the progress of an accuracy run.
type accuracyState struct {
	point, set string
	done, all  int
}

// String returns the progress as a line for a log.
func (s accuracyState) String() string {
	return fmt.Sprintf("%s: accuracy: %s: %d of %d answers", s.point, s.set, s.done, s.all)
}

// storedAnswer is an answer in the form of answersFile.
type storedAnswer struct {
	Set  string `json:"dataset_name"`
	Row  int    `json:"row"` // row of the accuracy file, from 0
	Text string `json:"text"`
}

// answerStore stores the answers to the requests of a set. Many goroutines may call its methods.
type answerStore struct {
	mu  sync.Mutex
	set string // empty: no set has begun
	all []storedAnswer
}

// beginSet discards the stored answers and begins to store those of a set.
func (k *answerStore) beginSet(set string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.set, k.all = set, nil
}

// addAnswer stores an answer: reasoning, text and tool calls, without separators. It stores an empty text for a failed
// request.
func (k *answerStore) addAnswer(r *metrics.Request, a client.ReceivedAnswer) {
	text := ""
	if r.Status == metrics.OK {
		text = string(a.Reasoning) + string(a.Text)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.set != "" && r.Status != metrics.Cancelled {
		k.all = append(k.all, storedAnswer{k.set, r.Row, strings.ToValidUTF8(text, "\ufffd")})
	}
}

func (k *answerStore) count() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.all)
}

// texts returns the answers in order of their rows.
func (k *answerStore) texts() []score.ReceivedText {
	k.mu.Lock()
	defer k.mu.Unlock()
	slices.SortStableFunc(k.all, func(a, b storedAnswer) int { return cmp.Compare(a.Row, b.Row) })
	all := make([]score.ReceivedText, len(k.all))
	for i, a := range k.all {
		all[i] = score.ReceivedText{Row: a.Row, Text: a.Text}
	}
	return all
}

// answersFile contains the answers of an accuracy run, one JSON object per line.
const answersFile = "accuracy/answers.jsonl"

// writeAnswers writes answersFile.
func writeAnswers(dir string, all []storedAnswer) error {
	return wholefile.WriteWith(filepath.Join(dir, filepath.FromSlash(answersFile)), 0o644, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		for _, a := range all {
			if err := e.Encode(a); err != nil {
				return err
			}
		}
		return nil
	})
}
