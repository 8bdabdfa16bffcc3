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
	URL  string // of its page; empty: not known, and the passage is never read
	Text string
}

// Environment provides the models and the search for a loop. Its methods are called one after the other.
type Environment interface {
	// Ask asks the model of a step, in round 1, 2, ...; it returns what the model replies, without white space around it.
	// An error is one more reply that nobody can read, unless it is ErrEnd.
	Ask(ctx context.Context, s Step, round int, prompt string) (string, error)
	// Search finds the k passages nearest to a query, the nearest first. Its errors end the sample.
	Search(ctx context.Context, query string, k int) ([]Document, error)
	// Rerank scores passages by how well they fit a query. Its errors end the sample.
	Rerank(ctx context.Context, query string, docs []Document) ([]float32, error)
}

// Errors that end a sample, with errors.Is.
var (
	// ErrEnd is wrapped by errors of Ask that are no reply: the run ends, or must not go on without one.
	ErrEnd = errors.New("the answer ends")
	// ErrReply is a reply of the right form with a value at which the reference stops, too.
	ErrReply = errors.New("a reply that no answer can follow")
)

// LoopOptions contains the settings for answering a question.
type LoopOptions struct {
	Rounds     int // at most
	Depth      int // passages that a search finds
	MaxQueries int // that a model is asked for, of a round
	Prompts    *PromptSet
}

// maxQueryDocuments limits the documents that the model of queries reads: those that were kept last.
const maxQueryDocuments = 12

// LoopResult is the result of a question.
type LoopResult struct {
	Answer     string // empty: there was none
	Sufficient bool   // a model, or the last round, found the documents to suffice
	Rounds     int
	Searches   int
	URLs       []string // of the documents that were kept, the first 10
	Fallbacks  [steps]int
	// Faults are the fallbacks in words, one each.
	Faults []string
}

// Run answers a question. With an error, what was done until then is in the result.
func Run(ctx context.Context, question string, o LoopOptions, w Environment) (LoopResult, error) {
	l := &questionLoop{options: o, question: question, world: w, seenURLs: map[string]bool{}}
	err := l.runRounds(ctx)
	l.URLs = []string{}
	for _, d := range l.relevant[:min(len(l.relevant), 10)] {
		l.URLs = append(l.URLs, d.URL)
	}
	return l.LoopResult, err
}

// questionLoop is a question on its way.
type questionLoop struct {
	options LoopOptions
	LoopResult
	question string
	world    Environment

	relevant, fresh []Document
	seenURLs        map[string]bool // URLs
	searches        []pastSearch
	feedback        []string
	last            string // feedback of the round before
}

// pastSearch is a search that was made, and how many documents were new.
type pastSearch struct {
	query string
	found int
}

func (l *questionLoop) runRounds(ctx context.Context) error {
	for !l.Sufficient && l.Rounds < l.options.Rounds {
		l.Rounds++
		queries, err := l.runRound(ctx)
		if err != nil {
			return err
		}
		l.fresh = nil
		if l.Sufficient {
			return nil
		}
		if err := l.searchAll(ctx, queries); err != nil {
			return err
		}
	}
	return nil
}

// runRound asks the models of a round: it ends in an answer, or in queries.
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

// judgeDocuments keeps what is relevant of the new documents, and answers if they suffice; it returns the reasons.
func (l *questionLoop) judgeDocuments(ctx context.Context) (reasons any, err error) {
	if len(l.fresh) > 0 {
		if err := l.askRelevance(ctx); err != nil {
			return nil, err
		}
	}
	if len(l.relevant) == 0 {
		return nil, nil
	}
	if reasons, err = l.askSufficiency(ctx); err != nil || !l.Sufficient {
		return reasons, err
	}
	prompt := l.options.Prompts.stepPrompt(Answer, map[string]string{"question": l.question,
		"kept_docs": listDocuments("DOC", l.relevant)})
	reply, err := l.askModel(ctx, Answer, prompt)
	if err != nil {
		return nil, err
	}
	if l.Answer = reply; reply == "" {
		l.Answer = "Unknown"
	}
	return reasons, nil
}

// addFeedback adds feedback that is new.
func (l *questionLoop) addFeedback(feedback any) error {
	text, ok := feedback.(string)
	switch {
	case !ok && pyvalue.True(feedback):
		return fmt.Errorf("%w: feedback or reasoning is %s, want a text", ErrReply, pyvalue.JSON(feedback))
	case pystr.Trim(text) != "" && text != l.last:
		l.feedback = append(l.feedback, pystr.Trim(text))
	}
	l.last = text
	return nil
}

// askModel asks, and notes an empty reply, or none, as a fallback; both are "".
func (l *questionLoop) askModel(ctx context.Context, s Step, prompt string) (string, error) {
	reply, err := l.world.Ask(ctx, s, l.Rounds, prompt)
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

// countFallback counts a fallback.
func (l *questionLoop) countFallback(s Step, why string) {
	l.Fallbacks[s]++
	l.Faults = append(l.Faults, fmt.Sprintf("%v, round %d: %s", s, l.Rounds, why))
}

// listDocuments lists documents as prompts have them; without one it is None.
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

// searchAll makes the searches of a round.
func (l *questionLoop) searchAll(ctx context.Context, queries any) error {
	all, err := l.listQueries(queries)
	if err != nil {
		return err
	}
	keep := max(3, l.options.Depth/len(all))
	for _, q := range all {
		query, ok := q.(string)
		if !ok {
			return fmt.Errorf("%w: a query is %s, want a text", ErrReply, pyvalue.JSON(q))
		}
		docs, err := l.world.Search(ctx, query, l.options.Depth)
		if err != nil {
			return err
		}
		if len(docs) > keep {
			scores, err := l.world.Rerank(ctx, query, docs)
			if err != nil {
				return err
			}
			docs = bestDocuments(docs, scores, keep)
		}
		found := 0
		for _, d := range docs {
			if d.URL != "" && !l.seenURLs[d.URL] {
				l.seenURLs[d.URL] = true
				l.fresh = append(l.fresh, d)
				found++
			}
		}
		l.searches = append(l.searches, pastSearch{query, found})
		l.Searches++
	}
	return nil
}

// listQueries lists the queries of a reply as Python goes through them: the characters of a text, the keys of an
// object; the question itself where there are none.
func (l *questionLoop) listQueries(queries any) (all []any, err error) {
	if !pyvalue.True(queries) {
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

// bestDocuments returns the documents with the highest scores, of equal ones those that were found first.
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
