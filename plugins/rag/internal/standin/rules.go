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

// AnswerMessage returns the reply to a user message made from one of the five prompts in [PromptFiles]. For other
// messages, it returns that it has no answer. Replies are deterministic.
func AnswerMessage(content string) string {
	r := answerMessage(content)
	if r.text == "" {
		return r.reasoning
	}
	return r.text
}

func answerMessage(content string) ruleReply {
	first, _, _ := strings.Cut(content, "\n")
	task, ok := strings.CutPrefix(strings.TrimSpace(first), "Task: ")
	rule, known := replyRules[task]
	if !ok || !known {
		return ruleReply{text: "The script has no reply to that."}
	}
	said := rule(content)
	if task == "answer" || task == "judge" {
		return ruleReply{text: said}
	}
	return breakReply(content, said)
}

var replyRules = map[string]func(content string) string{
	"relevance": markRelevant, "sufficiency": judgeSufficiency, "queries": makeQueries, "answer": finalAnswer,
	"judge": judgeAnswer,
}

// breakOneIn is the inverse rate of each of the five ways of breaking a reply. The digest of the message selects the
// replies.
const breakOneIn = 80

// breakReply breaks some of the JSON replies in ways that models do. Three of the five ways make the reply unreadable.
func breakReply(content, reply string) ruleReply {
	h := fnv.New32a()
	h.Write([]byte(content)) // never fails
	switch h.Sum32() % breakOneIn {
	case 0:
		return ruleReply{text: "I am not sure what to say."}
	case 1:
		return ruleReply{text: strings.TrimSuffix(reply, "}")}
	case 2:
		return ruleReply{text: strings.TrimSuffix(reply, "}") + ",}"}
	case 3:
		return ruleReply{text: "Here it is:\n```json\n" + reply + "\n```"}
	case 4:
		return ruleReply{reasoning: "I look at the pages. " + reply}
	}
	return ruleReply{text: reply}
}

// documentLine matches the documents in a prompt.
var documentLine = regexp.MustCompile(`(?m)^\[(NEW|KEPT|DOC) \d+\] (.*)$`)

// markedDocuments returns the documents of a prompt that have the given mark.
func markedDocuments(content, mark string) (all []string) {
	for _, m := range documentLine.FindAllStringSubmatch(content, -1) {
		if m[1] == mark {
			all = append(all, m[2])
		}
	}
	return all
}

// labelledLine returns the text after a label on its line.
func labelledLine(content, label string) string {
	_, after, ok := strings.Cut(content, "\n"+label+": ")
	if !ok {
		return ""
	}
	text, _, _ := strings.Cut(after, "\n")
	return strings.TrimSpace(text)
}

// factChain is the chain of facts that leads from a question to its answer, as far as pages contain it.
type factChain struct {
	question    string
	steps       [2]string
	description string // description of the page at which the question begins; empty: the question names the page
	// names in the question, or described by it, and the names to which they lead according to the pages
	names  []string
	answer string // empty: not found
}

// followChain follows the chain of a prompt's question through documents.
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

// describedSubject returns the subject whose facts contain all facts of the description.
func describedSubject(facts, description []encyclopedia.Fact) (string, bool) {
	for _, f := range facts {
		missing := func(t encyclopedia.Fact) bool {
			t.Subject = f.Subject
			return !slices.Contains(facts, t)
		}
		if !slices.ContainsFunc(description, missing) {
			return f.Subject, true
		}
	}
	return "", false
}

// isUnderstood reports whether the rules recognize the question.
func (c *factChain) isUnderstood() bool { return c.steps[0] != "" }

// nextMissing returns the next missing fact as a phrase, and the name or description to search for.
func (c *factChain) nextMissing() (phrase, name string) {
	if len(c.names) == 0 {
		return "the " + c.description, c.description
	}
	n := len(c.names) - 1
	return encyclopedia.Phrase(c.steps[n], c.names[n]), c.names[n]
}

// markRelevant marks the documents that share a name with the question or with the facts found so far.
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

// judgeSufficiency replies whether the chain is complete.
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

// makeQueries returns queries for the next missing fact. If it was searched for before, the queries use other words.
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

// shorterQuestion returns the question in which the last name found replaces the words that lead to it.
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

// descriptionQueries returns queries for a description: first as a whole, then for each fact in it.
func (c *factChain) descriptionQueries() (first, later []string) {
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

// maxQueries returns the number of queries that the prompt allows.
func maxQueries(content string) int {
	if m := maxQueriesPattern.FindStringSubmatch(content); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			return max(1, n)
		}
	}
	return 3
}

// finalAnswer returns the value at the end of the chain.
func finalAnswer(content string) string {
	if c := followChain(content, markedDocuments(content, "DOC")); c.answer != "" {
		return c.answer
	}
	return "Unknown"
}

// judgeAnswer compares two answers. It ignores case, surrounding spaces and a final full stop.
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
	if err != nil { // impossible for generated values
		return "{}"
	}
	return string(text)
}
