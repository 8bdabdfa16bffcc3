package standin

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/synthetic/encyclopedia"
)

// ReplyTo returns the reply to one user message of the five prompts of [PromptFiles]; to any other it says that there
// is nothing to say. The same message has the same reply.
func ReplyTo(content string) string {
	r := replyTo(content)
	if r.text == "" {
		return r.reasoning
	}
	return r.text
}

func replyTo(content string) ruleReply {
	first, _, _ := strings.Cut(content, "\n")
	task, ok := strings.CutPrefix(strings.TrimSpace(first), "Task: ")
	rule, known := rules[task]
	if !ok || !known {
		return ruleReply{text: "The script has no reply to that."}
	}
	said := rule(content)
	if task == "answer" || task == "judge" {
		return ruleReply{text: said}
	}
	return breakReply(content, said)
}

var rules = map[string]func(content string) string{
	"relevance": markRelevant, "sufficiency": judgeSufficiency, "queries": makeQueries, "answer": finalAnswer,
	"judge": judgeAnswer,
}

// outOf is of how many replies one, by the digest of what is replied to, is made wrong in each of five ways.
const outOf = 80

// breakReply spoils some of the replies that are JSON, as models do: three ways lose the reply, and two do not.
func breakReply(content, said string) ruleReply {
	h := fnv.New32a()
	h.Write([]byte(content)) // never fails
	switch h.Sum32() % outOf {
	case 0:
		return ruleReply{text: "I am not sure what to say."}
	case 1:
		return ruleReply{text: strings.TrimSuffix(said, "}")}
	case 2:
		return ruleReply{text: strings.TrimSuffix(said, "}") + ",}"}
	case 3:
		return ruleReply{text: "Here it is:\n```json\n" + said + "\n```"}
	case 4:
		return ruleReply{reasoning: "I look at the pages. " + said}
	}
	return ruleReply{text: said}
}

// pages are the documents of a prompt.
var pages = regexp.MustCompile(`(?m)^\[(NEW|KEPT|DOC) \d+\] (.*)$`)

// markedDocuments returns the documents of a prompt with a mark.
func markedDocuments(content, mark string) (all []string) {
	for _, m := range pages.FindAllStringSubmatch(content, -1) {
		if m[1] == mark {
			all = append(all, m[2])
		}
	}
	return all
}

// labelledLine returns what follows a label on its line.
func labelledLine(content, label string) string {
	_, after, ok := strings.Cut(content, "\n"+label+": ")
	if !ok {
		return ""
	}
	text, _, _ := strings.Cut(after, "\n")
	return strings.TrimSpace(text)
}

// factChain is how far pages answer a question.
type factChain struct {
	question    string
	steps       [2]string
	description string   // of the page that the question begins at, if it names none; else empty
	names       []string // what the question names, or describes, and what that leads to, as far as pages say so
	answer      string   // empty: not found
}

// followChain follows the question of a prompt through documents.
func followChain(content string, documents []string) factChain {
	c := factChain{question: labelledLine(content, "Question")}
	name, steps, ok := encyclopedia.Understand(c.question)
	if !ok {
		return c
	}
	c.steps = steps
	var facts []encyclopedia.Fact
	for _, d := range documents {
		facts = append(facts, encyclopedia.Facts(d)...)
	}
	if told := encyclopedia.Described(name); told != nil {
		c.description = name
		if name, ok = describedSubject(facts, told); !ok {
			return c
		}
	}
	c.names = []string{name}
	if next, ok := factValue(facts, name, steps[0]); ok {
		c.names = append(c.names, next)
		c.answer, _ = factValue(facts, next, steps[1])
	}
	return c
}

// factValue returns the value of a relation of a subject.
func factValue(facts []encyclopedia.Fact, subject, relation string) (string, bool) {
	i := slices.IndexFunc(facts, func(f encyclopedia.Fact) bool { return f.Subject == subject && f.Relation == relation })
	if i < 0 {
		return "", false
	}
	return facts[i].Value, true
}

// describedSubject returns the subject that a whole description fits.
func describedSubject(facts, told []encyclopedia.Fact) (string, bool) {
	for _, f := range facts {
		missing := func(t encyclopedia.Fact) bool {
			t.Subject = f.Subject
			return !slices.Contains(facts, t)
		}
		if !slices.ContainsFunc(told, missing) {
			return f.Subject, true
		}
	}
	return "", false
}

// isUnderstood reports whether the script understands the question.
func (c *factChain) isUnderstood() bool { return c.steps[0] != "" }

// nextMissing returns what is to be found next, as a phrase, and the name or description to look for.
func (c *factChain) nextMissing() (phrase, name string) {
	if len(c.names) == 0 {
		return "the " + c.description, c.description
	}
	n := len(c.names) - 1
	return encyclopedia.Phrase(c.steps[n], c.names[n]), c.names[n]
}

// markRelevant marks the documents that share a name with the question or with what the documents lead to.
func markRelevant(content string) string {
	found := markedDocuments(content, "NEW")
	c := followChain(content, append(markedDocuments(content, "KEPT"), found...))
	marks := make([]int, len(found))
	for i, d := range found {
		if slices.ContainsFunc(c.names, func(name string) bool { return strings.Contains(d, name) }) {
			marks[i] = 1
		}
	}
	return objectJSON(map[string]any{"relevance": marks})
}

// judgeSufficiency replies whether the chain is closed.
func judgeSufficiency(content string) string {
	c := followChain(content, markedDocuments(content, "DOC"))
	reason := "The question is not one that the script knows."
	switch {
	case c.answer != "":
		reason = "All of it is found."
	case c.isUnderstood():
		phrase, _ := c.nextMissing()
		reason = "Missing: " + phrase + "."
	}
	return objectJSON(map[string]any{"sufficient": c.answer != "", "reasoning": reason})
}

// makeQueries makes queries for what is next; where it was searched for before, in other words.
func makeQueries(content string) string {
	c := followChain(content, markedDocuments(content, "DOC"))
	if !c.isUnderstood() {
		return objectJSON(map[string]any{"queries": []string{c.question}, "feedback": "The script knows no such question."})
	}
	phrase, name := c.nextMissing()
	var all, again []string
	if len(c.names) == 0 {
		all, again = c.descriptionQueries()
	} else {
		all = []string{name, strings.TrimPrefix(phrase, "the "), c.shorterQuestion()}
		again = []string{"What is known of " + name + "?", "records of " + name, name + " " + name}
	}
	if strings.Contains(content, "- Query: '"+name+"'") {
		all = again
	}
	found := strings.Join(c.names, ", ")
	feedback := fmt.Sprintf("Known: %s. Missing: %s.", cmp.Or(found, "nothing"), phrase)
	return objectJSON(map[string]any{"queries": all[:min(len(all), maxQueries(content))], "feedback": feedback})
}

// shorterQuestion returns the question with the name that was found last instead of what leads to it.
func (c *factChain) shorterQuestion() string {
	start := encyclopedia.Phrase(c.steps[0], c.names[0])
	if c.description != "" {
		start = strings.Replace(c.steps[0], "$s", "the "+c.description, 1)
	}
	if len(c.names) > 1 {
		return strings.Replace(c.question, start, c.names[1], 1)
	}
	return strings.Replace(c.question, start, encyclopedia.Phrase(c.steps[0], c.names[0]), 1)
}

// descriptionQueries returns queries for what is described: all of it, and one thing at a time.
func (c *factChain) descriptionQueries() (first, again []string) {
	kind, told, _ := strings.Cut(c.description, " with ")
	things := strings.Split(told, ", ")
	first = []string{c.description}
	for _, thing := range things {
		first = append(first, kind+" with "+thing)
	}
	slices.Reverse(things)
	return first, []string{kind + " with " + strings.Join(things, ", "), "the " + strings.Join(things, " and the ")}
}

var maxQueriesPattern = regexp.MustCompile(`at most (\d+) quer`)

// maxQueries returns how many queries the prompt allows.
func maxQueries(content string) int {
	if m := maxQueriesPattern.FindStringSubmatch(content); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			return max(1, n)
		}
	}
	return 3
}

// finalAnswer returns the end of the chain.
func finalAnswer(content string) string {
	if c := followChain(content, markedDocuments(content, "DOC")); c.answer != "" {
		return c.answer
	}
	return "Unknown"
}

// judgeAnswer compares two answers letter by letter, but for case, outer spaces and a last full stop.
func judgeAnswer(content string) string {
	plain := func(label string) string {
		return strings.ToLower(strings.TrimSpace(strings.TrimSuffix(labelledLine(content, label), ".")))
	}
	right, given := plain("Right answer"), plain("Given answer")
	if right != given {
		return objectJSON(map[string]any{"correct": false, "reasoning": "The answers differ."})
	}
	return objectJSON(map[string]any{"correct": true, "reasoning": "The answers are the same."})
}

func objectJSON(v map[string]any) string {
	text, err := json.Marshal(v)
	if err != nil { // not of what is made here
		return "{}"
	}
	return string(text)
}
