package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pystr"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// Document is a passage.
type Document struct {
	URL  string // URL of its page; empty: unknown, and models never see the passage
	Text string
}

// Environment provides the models and the search for a loop. Its methods are called sequentially.
type Environment interface {
	// Ask asks the model of a step in a round (1, 2, ...) and returns the reply without surrounding white space. An error
	// counts as an unreadable reply, unless it wraps ErrEnd.
	Ask(ctx context.Context, s Step, round int, prompt string) (string, error)
	// Search returns the k passages nearest to a query, nearest first. An error ends the sample.
	Search(ctx context.Context, query string, k int) ([]Document, error)
	// Rerank returns scores of how well passages match a query. An error ends the sample.
	Rerank(ctx context.Context, query string, docs []Document) ([]float32, error)
}

// Errors that end a sample; errors.Is finds them.
var (
	// ErrEnd is wrapped by errors of Ask that end the sample, because the run ends or requires a reply.
	ErrEnd = errors.New("the answer ends")
	// ErrReply means that a reply has the right form but a value at which the reference stops, too.
	ErrReply = errors.New("a reply that no answer can follow")
)

// LoopOptions contains the settings for answering a question.
type LoopOptions struct {
	MaxRounds   int // maximum number of rounds
	SearchDepth int // number of passages per search
	MaxQueries  int // number of queries per round that a model is asked for
	Prompts     *PromptSet
}

// maxQueryDocuments limits the documents that the model of queries reads to the most recently kept ones.
const maxQueryDocuments = 12

// LoopResult is the result for a question.
type LoopResult struct {
	Answer     string // empty: no answer
	Sufficient bool   // a model judged the documents as sufficient, or the last round was reached
	Rounds     int
	Searches   int
	URLs       []string // URLs of the first 10 kept documents
	Fallbacks  [steps]int
	// Faults describes each fallback.
	Faults []string
}

// Run answers a question. If it returns an error, the result contains what was done before.
func Run(ctx context.Context, question string, o LoopOptions, w Environment) (LoopResult, error) {
	l := &questionLoop{options: o, question: question, environment: w, seenURLs: map[string]bool{}}
	err := l.runRounds(ctx)
	l.URLs = []string{}
	for _, d := range l.keptDocuments[:min(len(l.keptDocuments), 10)] {
		l.URLs = append(l.URLs, d.URL)
	}
	return l.LoopResult, err
}

// questionLoop is the state of a question in progress.
type questionLoop struct {
	options LoopOptions
	LoopResult
	question    string
	environment Environment

	keptDocuments, newDocuments []Document
	seenURLs                    map[string]bool // URLs of documents that were found before
	searches                    []pastSearch
	feedback                    []string
	lastFeedback                string // feedback of the previous round
}

// pastSearch is a completed search and the number of new documents that it found.
type pastSearch struct {
	query string
	found int
}

func (l *questionLoop) runRounds(ctx context.Context) error {
	for !l.Sufficient && l.Rounds < l.options.MaxRounds {
		l.Rounds++
		queries, err := l.runRound(ctx)
		if err != nil {
			return err
		}
		l.newDocuments = nil
		if l.Sufficient {
			return nil
		}
		if err := l.searchAll(ctx, queries); err != nil {
			return err
		}
	}
	return nil
}

// runRound asks the models of a round. The round ends with an answer or with new queries.
func (l *questionLoop) runRound(ctx context.Context) (queries any, err error) {
	var feedback any
	if l.Rounds > 1 {
		if feedback, err = l.judgeDocuments(ctx); err != nil {
			return nil, err
		}
	}
	if !l.Sufficient {
		if queries, feedback, err = l.askQueries(ctx); err != nil {
			return nil, err
		}
	}
	return queries, l.addFeedback(feedback)
}

// judgeDocuments keeps the relevant documents among the new ones, and answers if they suffice. It returns the model's
// reasons.
func (l *questionLoop) judgeDocuments(ctx context.Context) (reasons any, err error) {
	if len(l.newDocuments) > 0 {
		if err := l.askRelevance(ctx); err != nil {
			return nil, err
		}
	}
	if len(l.keptDocuments) == 0 {
		return nil, nil
	}
	if reasons, err = l.askSufficiency(ctx); err != nil || !l.Sufficient {
		return reasons, err
	}
	prompt := l.options.Prompts.stepPrompt(AnswerStep, map[string]string{"question": l.question,
		"kept_docs": listDocuments("DOC", l.keptDocuments)})
	reply, err := l.askModel(ctx, AnswerStep, prompt)
	if err != nil {
		return nil, err
	}
	if l.Answer = reply; reply == "" {
		l.Answer = "Unknown"
	}
	return reasons, nil
}

// addFeedback adds feedback unless it is already contained.
func (l *questionLoop) addFeedback(feedback any) error {
	text, ok := feedback.(string)
	switch {
	case !ok && pyvalue.IsTrue(feedback):
		return fmt.Errorf("%w: feedback or reasoning is %s, want a text", ErrReply, pyvalue.JSON(feedback))
	case pystr.Trim(text) != "" && text != l.lastFeedback:
		l.feedback = append(l.feedback, pystr.Trim(text))
	}
	l.lastFeedback = text
	return nil
}

// askModel asks a model. An empty or missing reply counts as a fallback and returns "".
func (l *questionLoop) askModel(ctx context.Context, s Step, prompt string) (string, error) {
	reply, err := l.environment.Ask(ctx, s, l.Rounds, prompt)
	if errors.Is(err, ErrEnd) || ctx.Err() != nil {
		return "", errors.Join(err, context.Cause(ctx))
	}
	switch {
	case err != nil:
		l.countFallback(s, err.Error())
		return "", nil
	case reply == "":
		l.countFallback(s, "the reply is empty")
	}
	return reply, nil
}

// countFallback counts and describes a fallback.
func (l *questionLoop) countFallback(s Step, why string) {
	l.Fallbacks[s]++
	l.Faults = append(l.Faults, fmt.Sprintf("%v, round %d: %s", s, l.Rounds, why))
}

// listDocuments lists documents in the form of prompts. Without documents it returns "None".
func listDocuments(name string, docs []Document) string {
	if len(docs) == 0 {
		return "None"
	}
	var b strings.Builder
	for i, d := range docs {
		fmt.Fprintf(&b, "\n[%s %d] %s\n", name, i+1, d.Text)
	}
	return b.String()
}

// searchAll runs the searches of a round.
func (l *questionLoop) searchAll(ctx context.Context, queries any) error {
	all, err := l.listQueries(queries)
	if err != nil {
		return err
	}
	keep := max(3, l.options.SearchDepth/len(all))
	for _, q := range all {
		query, ok := q.(string)
		if !ok {
			return fmt.Errorf("%w: a query is %s, want a text", ErrReply, pyvalue.JSON(q))
		}
		docs, err := l.environment.Search(ctx, query, l.options.SearchDepth)
		if err != nil {
			return err
		}
		if len(docs) > keep {
			scores, err := l.environment.Rerank(ctx, query, docs)
			if err != nil {
				return err
			}
			docs = bestDocuments(docs, scores, keep)
		}
		found := 0
		for _, d := range docs {
			if d.URL != "" && !l.seenURLs[d.URL] {
				l.seenURLs[d.URL] = true
				l.newDocuments = append(l.newDocuments, d)
				found++
			}
		}
		l.searches = append(l.searches, pastSearch{query, found})
		l.Searches++
	}
	return nil
}

// listQueries lists the queries of a reply as Python iterates over them: the characters of a text, or the keys of an
// object. If there are none, it returns the question.
func (l *questionLoop) listQueries(queries any) (all []any, err error) {
	if !pyvalue.IsTrue(queries) {
		return []any{l.question}, nil
	}
	switch v := queries.(type) {
	case []any:
		return v, nil
	case string:
		all = pyvalue.Characters(v)
	case *pyvalue.Dict:
		for _, key := range v.Keys() {
			all = append(all, key)
		}
	default:
		err = fmt.Errorf("%w: queries are %s, want a list", ErrReply, pyvalue.JSON(queries))
	}
	return all, err
}

// bestDocuments returns the keep documents with the highest scores. Of equal scores, the earlier document comes first.
func bestDocuments(docs []Document, scores []float32, keep int) []Document {
	order := make([]int, len(docs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	chosen := make([]Document, keep)
	for i := range chosen {
		chosen[i] = docs[order[i]]
	}
	return chosen
}
