package agent

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy/retrieval"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// askRelevance asks which of the new documents to keep.
func (l *questionLoop) askRelevance(ctx context.Context) error {
	var new strings.Builder
	for i, d := range l.newDocuments {
		fmt.Fprintf(&new, "\n[NEW %d] %s\n", i+1, d.Text)
	}
	reply, err := l.askModel(ctx, RelevanceStep, l.options.Prompts.stepPrompt(RelevanceStep, map[string]string{
		"question": l.question, "new_docs": new.String(), "kept_docs": l.keptSummary(),
		"num_docs": strconv.Itoa(len(l.newDocuments)),
	}))
	if err != nil {
		return err
	}
	marks, err := readRelevance(reply, len(l.newDocuments))
	if why := asUnreadable(err); why != nil {
		l.countFallback(RelevanceStep, why.Error())
	} else if err != nil && !errors.Is(err, errEmpty) {
		return err
	}
	for i, d := range l.newDocuments {
		if marks == nil || pyvalue.Equal(marks[i], 1) {
			l.keptDocuments = append(l.keptDocuments, d)
		}
	}
	return nil
}

// keptSummary returns the beginnings of the first kept documents.
func (l *questionLoop) keptSummary() string {
	if len(l.keptDocuments) == 0 {
		return "None"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "[%d documents already kept as relevant]\n", len(l.keptDocuments))
	for i, d := range l.keptDocuments[:min(len(l.keptDocuments), 5)] {
		text := d.Text
		n := 0
		for at := range text {
			if n++; n > 300 {
				text = text[:at]
				break
			}
		}
		fmt.Fprintf(&b, "[KEPT %d] %s...\n", i+1, text)
	}
	return b.String()
}

// errEmpty means that the reply is empty. askModel has already counted it.
var errEmpty = errors.New("the reply is empty")

// unreadableError is the reason why a reply cannot be read. It causes a fallback.
type unreadableError struct{ error }

func (u unreadableError) Unwrap() error { return u.error }

func asUnreadable(err error) error {
	if u, ok := errors.AsType[unreadableError](err); ok {
		return u.error
	}
	return nil
}

// parseObject parses the JSON object in a reply.
func parseObject(reply string) (*pyvalue.Dict, error) {
	if reply == "" {
		return nil, errEmpty
	}
	d, err := retrieval.FindObject(reply)
	if err != nil {
		return nil, unreadableError{err}
	}
	return d, nil
}

// readRelevance returns the marks of n documents, as Python indexes them: of a text, its characters. nil means that all
// documents are kept.
func readRelevance(reply string, n int) ([]any, error) {
	d, err := parseObject(reply)
	if err != nil {
		return nil, err
	}
	v, _ := d.Get("relevance")
	switch v := v.(type) {
	case []any:
		if len(v) == n {
			return v, nil
		}
	case string:
		if marks := pyvalue.Characters(v); len(marks) == n { // no character equals the number 1
			return marks, nil
		}
	case *pyvalue.Dict:
		if len(v.Keys()) == n {
			return nil, fmt.Errorf("%w: relevance is an object, want a list", ErrReply)
		}
	}
	return nil, unreadableError{fmt.Errorf("relevance is %s, want a list of %d marks", shortJSON(v), n)}
}

// shortJSON returns the beginning of a value in JSON, for messages.
func shortJSON(v any) string {
	text := pyvalue.JSON(v)
	if len(text) > 60 {
		text = strings.ToValidUTF8(text[:60], "") + "..."
	}
	return text
}

// askSufficiency asks whether the documents suffice, and returns the reasons.
func (l *questionLoop) askSufficiency(ctx context.Context) (any, error) {
	round, rounds := l.Rounds, l.options.MaxRounds
	reply, err := l.askModel(ctx, SufficiencyStep, l.options.Prompts.stepPrompt(SufficiencyStep, map[string]string{
		"question": l.question, "kept_docs": listDocuments("DOC", l.keptDocuments), "iteration": strconv.Itoa(round),
		"max_iterations": strconv.Itoa(rounds),
	}))
	if err != nil {
		return nil, err
	}
	enough, reasons, err := readSufficiency(reply, round >= rounds)
	if why := asUnreadable(err); why != nil {
		l.countFallback(SufficiencyStep, why.Error())
	}
	l.Sufficient = pyvalue.IsTrue(enough)
	return reasons, nil
}

// readSufficiency reads whether the documents suffice, and the reasons. In the last round, enough is always true. The
// error describes why the reply cannot be read.
func readSufficiency(reply string, last bool) (enough, reasons any, err error) {
	d, err := parseObject(reply)
	if err != nil {
		return last, err.Error(), err
	}
	enough, ok := d.Get("sufficient")
	if !ok {
		enough = false
	}
	if reasons, ok = d.Get("reasoning"); !ok {
		reasons = ""
	}
	if last && !pyvalue.IsTrue(enough) {
		return true, fmt.Sprintf("the last round; %s", shortJSON(reasons)), nil
	}
	return enough, reasons, nil
}

// askQueries asks for queries. It returns them with the feedback.
func (l *questionLoop) askQueries(ctx context.Context) (queries, feedback any, err error) {
	history := "No queries yet"
	if len(l.searches) > 0 {
		var b strings.Builder
		for _, s := range l.searches {
			fmt.Fprintf(&b, "- Query: '%s' → %d docs\n", s.query, s.found)
		}
		history = b.String()
	}
	past := "Iteration 1 - Initial search"
	if len(l.feedback) > 0 {
		past = strings.Join(l.feedback, "\n")
	}
	reply, err := l.askModel(ctx, QueryStep, l.options.Prompts.stepPrompt(QueryStep, map[string]string{
		"question": l.question, "kept_docs": listDocuments("DOC", l.keptDocuments[max(0,
			len(l.keptDocuments)-maxQueryDocuments):]),
		"history": history, "feedback_history": past, "max_queries": strconv.Itoa(l.options.MaxQueries),
	}))
	if err != nil {
		return nil, nil, err
	}
	queries, feedback, err = readQueries(reply, l.question)
	if why := asUnreadable(err); why != nil {
		l.countFallback(QueryStep, why.Error())
	}
	return queries, feedback, nil
}

// readQueries reads queries and feedback. If the reply cannot be read, the query is the question and the feedback is
// the reason. As in the reference, except for the details of invalid JSON.
func readQueries(reply, question string) (queries, feedback any, err error) {
	d, err := parseObject(reply)
	own := []any{question}
	switch {
	case errors.Is(err, errEmpty):
		return own, "LLM returned empty", err
	case errors.Is(err, retrieval.ErrNoObject):
		return own, "No JSON in LLM response", err
	case err != nil:
		return own, "Error: " + err.Error(), err
	}
	queries, ok := d.Get("queries")
	if !ok {
		queries = own
	}
	if feedback, ok = d.Get("feedback"); !ok {
		feedback = "Generating queries"
	}
	return queries, feedback, nil
}
