package rag

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/accuracy/retrieval"
	"github.com/plumbline-ml/plumbline/datasets/frames"
	"github.com/plumbline-ml/plumbline/internal/parallel"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/plugins/rag/internal/standin"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

// Limits of a judge's reply.
const (
	maxJudgeTokens = 1024
	judgeTimeout   = time.Minute
)

// judgeScorer scores answers with a judge.
type judgeScorer struct {
	ctx context.Context
	*ragSettings
	judge       backend.Generator
	cache       *verdictCache
	maxExhibits int // maximum number of exhibits
	questions   []frames.FramesQuestion
	truths      map[string]frames.FramesQuestion // by the text of the question; of equal questions, the last one

	answers  []loggedAnswer
	verdicts []retrieval.JudgeVerdict
}

// loggedAnswer is an answer in the log.
type loggedAnswer struct {
	answerPayload
	entry uint64 // LoadGen's ID of the response
	index uint64
}

// openJudge connects to the judge.
func (o serverOpener) openJudge(ctx context.Context, r *manifest.Request) (sdk.Scorer, error) {
	s := readSettings(r)
	j := &judgeScorer{ctx: context.WithoutCancel(ctx), ragSettings: &s, maxExhibits: min(r.Exhibits, sdk.MaxExhibits),
		questions: readQuestions(r), truths: map[string]frames.FramesQuestion{}}
	if err := r.Err(); err != nil {
		return nil, err
	}
	for _, q := range j.questions {
		j.truths[q.Prompt] = q
	}
	var err error
	if j.cache, err = openVerdicts(s.JudgeCache); err != nil {
		return nil, sdk.Data(fmt.Errorf("parameter judge_cache: %w", err))
	}
	if j.judge, err = connectServer(ctx, o.servers, "judge", s.judge, 0, s.Concurrency); err != nil {
		return nil, errors.Join(err, j.cache.Close())
	}
	return scoring.New(j, scoring.Log{Samples: len(j.questions), First: true, Within: true}, j.scoreVerdicts), nil
}

// Close closes the client and the cache.
func (j *judgeScorer) Close() error { return errors.Join(j.judge.Close(), j.cache.Close()) }

// AddEntry adds an answer.
func (j *judgeScorer) AddEntry(e mllog.AccuracyEntry) error {
	a := loggedAnswer{entry: e.SeqID, index: e.QSLIndex}
	if err := json.Unmarshal(e.Data, &a.answerPayload); err != nil {
		return fmt.Errorf("the answer is not one of this benchmark: %w", err)
	}
	j.answers = append(j.answers, a)
	return nil
}

// judgeAnswer asks the judge about an answer. ok is false if the question is not in the data set.
func (j *judgeScorer) judgeAnswer(a *loggedAnswer) (v retrieval.JudgeVerdict, ok bool) {
	q, ok := j.truths[a.Query]
	if !ok {
		return v, false
	}
	prompt := j.loop.Prompts.JudgePrompt(a.Query, q.Answer, a.Answer)
	text, err := j.cache.cachedReply(j.ragSettings.judge.model, prompt, func() (string, error) {
		f := map[string]json.RawMessage{"temperature": json.RawMessage("0.0"),
			"max_tokens": json.RawMessage(strconv.Itoa(maxJudgeTokens))}
		r, err := askServer(j.ctx, j.judge, prompt, f, maxJudgeTokens, judgeTimeout, 1)
		if err != nil {
			return "", err
		}
		return r.Text, nil
	})
	if err != nil {
		return retrieval.JudgeVerdict{Err: err}, true
	}
	return retrieval.ReadVerdict(text), true
}

// Names of the metrics.
const (
	accuracyMetric = "accuracy"
	strictMetric   = "strict_accuracy"
)

// Add adds an answer whose response has no ID.
func (j *judgeScorer) Add(sample uint64, answer []byte) error {
	return j.AddEntry(mllog.AccuracyEntry{QSLIndex: sample, Data: answer})
}

// Result asks the judge about all answers.
func (j *judgeScorer) Result() (t answerTotals, err error) {
	// The order is fixed, so that sums are reproducible.
	slices.SortFunc(j.answers, func(a, b loggedAnswer) int { return cmp.Compare(a.index, b.index) })
	j.verdicts = make([]retrieval.JudgeVerdict, len(j.answers))
	known := make([]bool, len(j.answers))
	parallel.EachRange(min(j.Concurrency, max(len(j.answers), 1)), len(j.answers), func(_, from, to int) {
		for i := from; i < to; i++ {
			j.verdicts[i], known[i] = j.judgeAnswer(&j.answers[i])
		}
	})
	for i := range j.answers {
		if a := &j.answers[i]; known[i] {
			t.addAnswer(a, j.truths[a.Query], j.verdicts[i])
		} else {
			t.unknown++
		}
	}
	return t, nil
}

// scoreVerdicts returns the score from the totals of all verdicts.
func (j *judgeScorer) scoreVerdicts(t answerTotals, c scoring.Counts) (sdk.Score, error) {
	score := sdk.Score{Metrics: []sdk.Metric{
		{Name: accuracyMetric, Unit: "%", Value: 100 * t.meanPerAnswer(t.right)},
		{Name: strictMetric, Unit: "%", Value: 100 * float64(t.strict) / float64(max(len(j.questions), 1))},
		{Name: "retrieval_precision", Value: t.meanPerAnswer(t.found.Precision)},
		{Name: "retrieval_recall", Value: t.meanPerAnswer(t.found.Recall)},
		{Name: "retrieval_f1", Value: t.meanPerAnswer(t.found.F1)},
	}}
	score.OfficialText = fmt.Sprintf("Accuracy: %.4f\n", 100*t.meanPerAnswer(t.right))
	text, err := j.resultsJSON()
	if err != nil {
		return score, err
	}
	score.Files = []sdk.ScoreFile{{Name: "rag/results.json", Data: text}}
	score.Notes, score.Exhibits = j.scoreNotes(&t, c), j.wrongAnswers()
	return score, nil
}

// answerTotals contains the totals over all answers.
type answerTotals struct {
	scored, unknown, strict     int
	right                       float64
	found                       retrieval.PageMatch
	errors, unreadable, lenient int
	firstFault                  string // what was wrong with the first unreadable verdict
	rounds                      int
	fallbacks                   map[string]int
}

func (t *answerTotals) addAnswer(a *loggedAnswer, truth frames.FramesQuestion, v retrieval.JudgeVerdict) {
	t.scored++
	if v.Counts {
		t.right++
	}
	if v.Strict {
		t.strict++
	} else if v.Counts {
		t.lenient++
	}
	if v.Err != nil {
		if t.unreadable++; t.unreadable == 1 {
			t.firstFault = v.Err.Error()
		}
	}
	if a.Error != "" {
		t.errors++
	}
	f := retrieval.MatchPages(a.URLs, truth.Links)
	t.found.Precision += f.Precision
	t.found.Recall += f.Recall
	t.found.F1 += f.F1
	t.rounds += a.Rounds
	for step, n := range a.Fallbacks {
		if t.fallbacks == nil {
			t.fallbacks = map[string]int{}
		}
		t.fallbacks[step] += n
	}
}

// meanPerAnswer divides a sum by the number of answers, as the reference does.
func (t *answerTotals) meanPerAnswer(sum float64) float64 { return sum / float64(max(t.scored, 1)) }

func (j *judgeScorer) scoreNotes(t *answerTotals, c scoring.Counts) sdk.Notes {
	var n sdk.Notes
	name := j.ragSettings.judge.url
	if name == manifest.Embedded {
		name = standin.Label
	}
	n.Add("judged by %s, prompt sha256 %.12s; strict: \"correct\" is true itself, and what is missing is wrong",
		strings.TrimSpace(name+" "+j.ragSettings.judge.model), j.loop.Prompts.JudgeSum)
	if t.scored > 0 {
		n.Add("%.2f rounds a question", float64(t.rounds)/float64(t.scored))
	}
	for _, step := range []string{"queries", "relevance", "sufficiency", "answer"} {
		n.AddCount(t.fallbacks[step], "%d replies of the step "+step+" could not be read")
	}
	n.AddCount(t.errors, "%d questions ended in an error, and have the answer Error")
	n.AddCount(t.unreadable, "%d verdicts could not be read, and count as wrong; the first: "+t.firstFault)
	n.AddCount(t.lenient, "%d answers count as right by a value of \"correct\" that is not true itself, such as the text "+
		"\"false\"")
	n.AddCount(t.unknown, "%d answers are to questions that the data set does not have: the official mean leaves them out")
	n.AddCount(c.Outside, "%d entries are of questions beyond the data set and were dropped")
	return append(n, c.Notes("questions", "the accuracy is that")...)
}

// resultsJSON returns results.json in the reference's form, so that the official script can score the same answers.
func (j *judgeScorer) resultsJSON() ([]byte, error) {
	type official struct {
		Query    string             `json:"query"`
		Answer   string             `json:"answer"`
		Truth    string             `json:"ground_truth"`
		URLs     []string           `json:"retrieved_urls"`
		Expected []string           `json:"expected_urls"`
		Metrics  map[string]float64 `json:"metrics"`
		Error    string             `json:"error,omitempty"`
	}
	all := map[string]official{}
	for i := range j.answers {
		a := &j.answers[i]
		q := j.questions[a.index]
		all[strconv.FormatUint(a.entry, 10)] = official{a.Query, a.Answer, q.Answer, a.URLs, q.Links,
			retrieval.RankedFigures(q.Links, a.URLs), a.Error}
	}
	text, err := json.MarshalIndent(all, "", "  ")
	return append(text, '\n'), err
}

// wrongAnswers returns exhibits of the first wrong answers. Answers that ended in an error come first.
func (j *judgeScorer) wrongAnswers() (all []sdk.Exhibit) {
	for _, failed := range []bool{true, false} {
		for i := range j.answers {
			a := &j.answers[i]
			if j.verdicts[i].Counts || (a.Error != "") != failed || len(all) == j.maxExhibits {
				continue
			}
			q := j.questions[a.index]
			all = append(all, sdk.Exhibit{
				Caption: fmt.Sprintf("question %d: wrong after %d rounds", a.index, a.Rounds),
				Text: exhibit.Paragraphs("ASKED", a.Query, "EXPECTED", q.Answer, "ANSWERED", a.Answer+" "+a.Error, "FROM",
					strings.Join(a.URLs, "\n"), "IS IN", strings.Join(q.Links, "\n")),
			})
		}
	}
	return all
}

// verdictCache keeps judges' replies in a file of JSON lines.
type verdictCache struct {
	mu      sync.Mutex
	replies map[string]string
	file    *os.File // nil: replies are not kept
}

// cachedVerdict is a line of the file.
type cachedVerdict struct {
	Key   string `json:"sha256"` // digest of the model and the prompt
	Reply string `json:"reply"`
}

// openVerdicts opens or creates the file. An empty path means no file.
func openVerdicts(path string) (*verdictCache, error) {
	v := &verdictCache{replies: map[string]string{}}
	if path == "" {
		return v, nil
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	lines := json.NewDecoder(bufio.NewReader(f))
	end := int64(0)
	for {
		var k cachedVerdict
		if err := lines.Decode(&k); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break // the last line may be truncated
		} else if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: line %d: %w; want verdicts that were kept before, or a new file", path,
				len(v.replies)+1, err), f.Close())
		}
		v.replies[k.Key] = k.Reply
		end = lines.InputOffset()
	}
	if err := f.Truncate(end); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if _, err := f.Seek(end, io.SeekStart); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if end > 0 {
		if _, err := f.WriteString("\n"); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	v.file = f
	return v, nil
}

// cachedReply returns the cached reply to a prompt. If there is none, it calls ask and adds the reply to the cache.
func (v *verdictCache) cachedReply(model, prompt string, ask func() (string, error)) (string, error) {
	sum := sha256.Sum256([]byte(model + "\x00" + prompt))
	key := hex.EncodeToString(sum[:])
	v.mu.Lock()
	text, ok := v.replies[key]
	v.mu.Unlock()
	if ok {
		return text, nil
	}
	text, err := ask()
	if err != nil {
		return "", err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.replies[key] = text
	if v.file == nil {
		return text, nil
	}
	line, err := json.Marshal(cachedVerdict{key, text})
	if err == nil {
		_, err = v.file.Write(append(line, '\n'))
	}
	return text, err
}

// Close closes the file.
func (v *verdictCache) Close() error {
	if v.file == nil {
		return nil
	}
	return v.file.Close()
}
