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

// Reply is what is replied to one user message of the five prompts of [Words]; to any other it says that there is
// nothing to say. The same message has the same reply.
func Reply(content string) string {
	r := replyTo(content)
	if r.text == "" {
		return r.reasoning
	}
	return r.text
}

func replyTo(content string) reply {
	first, _, _ := strings.Cut(content, "\n")
	task, ok := strings.CutPrefix(strings.TrimSpace(first), "Task: ")
	rule, known := rules[task]
	if !ok || !known {
		return reply{text: "The script has no reply to that."}
	}
	said := rule(content)
	if task == "answer" || task == "judge" {
		return reply{text: said}
	}
	return broken(content, said)
}

var rules = map[string]func(content string) string{
	"relevance": relevance, "sufficiency": sufficiency, "queries": queries, "answer": answer, "judge": judge,
}

// outOf is of how many replies one, by the digest of what is replied to, is made wrong in each of five ways.
const outOf = 80

// broken spoils some of the replies that are JSON, as models do: three ways lose the reply, and two do not.
func broken(content, said string) reply {
	h := fnv.New32a()
	h.Write([]byte(content)) // never fails
	switch h.Sum32() % outOf {
	case 0:
		return reply{text: "I am not sure what to say."}
	case 1:
		return reply{text: strings.TrimSuffix(said, "}")}
	case 2:
		return reply{text: strings.TrimSuffix(said, "}") + ",}"}
	case 3:
		return reply{text: "Here it is:\n```json\n" + said + "\n```"}
	case 4:
		return reply{reasoning: "I look at the pages. " + said}
	}
	return reply{text: said}
}

// pages are the documents of a prompt.
var pages = regexp.MustCompile(`(?m)^\[(NEW|KEPT|DOC) \d+\] (.*)$`)

// documents are those of a prompt that are marked so.
func documents(content, mark string) (all []string) {
	for _, m := range pages.FindAllStringSubmatch(content, -1) {
		if m[1] == mark {
			all = append(all, m[2])
		}
	}
	return all
}

// line is what follows a label on its line.
func line(content, label string) string {
	_, after, ok := strings.Cut(content, "\n"+label+": ")
	if !ok {
		return ""
	}
	text, _, _ := strings.Cut(after, "\n")
	return strings.TrimSpace(text)
}

// chain is how far pages answer a question.
type chain struct {
	question    string
	steps       [2]string
	description string   // of the page that the question begins at, if it names none; else empty
	names       []string // what the question names, or describes, and what that leads to, as far as pages say so
	answer      string   // empty: not found
}

// follow follows the question of a prompt through documents.
func follow(content string, documents []string) chain {
	c := chain{question: line(content, "Question")}
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
		if name, ok = subject(facts, told); !ok {
			return c
		}
	}
	c.names = []string{name}
	if next, ok := value(facts, name, steps[0]); ok {
		c.names = append(c.names, next)
		c.answer, _ = value(facts, next, steps[1])
	}
	return c
}

// value is what facts say of a subject.
func value(facts []encyclopedia.Fact, subject, relation string) (string, bool) {
	i := slices.IndexFunc(facts, func(f encyclopedia.Fact) bool { return f.Subject == subject && f.Relation == relation })
	if i < 0 {
		return "", false
	}
	return facts[i].Value, true
}

// subject is what all of a description is said of.
func subject(facts, told []encyclopedia.Fact) (string, bool) {
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

// known tells whether the script understands the question.
func (c *chain) known() bool { return c.steps[0] != "" }

// missing is what is to be found next, as a phrase, and the name or description to look for.
func (c *chain) missing() (phrase, name string) {
	if len(c.names) == 0 {
		return "the " + c.description, c.description
	}
	n := len(c.names) - 1
	return encyclopedia.Phrase(c.steps[n], c.names[n]), c.names[n]
}

// relevance marks the documents that share a name with the question or with what the documents lead to.
func relevance(content string) string {
	found := documents(content, "NEW")
	c := follow(content, append(documents(content, "KEPT"), found...))
	marks := make([]int, len(found))
	for i, d := range found {
		if slices.ContainsFunc(c.names, func(name string) bool { return strings.Contains(d, name) }) {
			marks[i] = 1
		}
	}
	return object(map[string]any{"relevance": marks})
}

// sufficiency asks whether the chain is closed.
func sufficiency(content string) string {
	c := follow(content, documents(content, "DOC"))
	reason := "The question is not one that the script knows."
	switch {
	case c.answer != "":
		reason = "All of it is found."
	case c.known():
		phrase, _ := c.missing()
		reason = "Missing: " + phrase + "."
	}
	return object(map[string]any{"sufficient": c.answer != "", "reasoning": reason})
}

// queries look for what is next; where it was looked for before, in other words.
func queries(content string) string {
	c := follow(content, documents(content, "DOC"))
	if !c.known() {
		return object(map[string]any{"queries": []string{c.question}, "feedback": "The script knows no such question."})
	}
	phrase, name := c.missing()
	var all, again []string
	if len(c.names) == 0 {
		all, again = c.described()
	} else {
		all = []string{name, strings.TrimPrefix(phrase, "the "), c.shorter()}
		again = []string{"What is known of " + name + "?", "records of " + name, name + " " + name}
	}
	if strings.Contains(content, "- Query: '"+name+"'") {
		all = again
	}
	found := strings.Join(c.names, ", ")
	feedback := fmt.Sprintf("Known: %s. Missing: %s.", cmp.Or(found, "nothing"), phrase)
	return object(map[string]any{"queries": all[:min(len(all), most(content))], "feedback": feedback})
}

// shorter is the question with the name that was found last in the place of what leads to it.
func (c *chain) shorter() string {
	start := encyclopedia.Phrase(c.steps[0], c.names[0])
	if c.description != "" {
		start = strings.Replace(c.steps[0], "$s", "the "+c.description, 1)
	}
	if len(c.names) > 1 {
		return strings.Replace(c.question, start, c.names[1], 1)
	}
	return strings.Replace(c.question, start, encyclopedia.Phrase(c.steps[0], c.names[0]), 1)
}

// described are queries for what is described: all of it, and one thing at a time.
func (c *chain) described() (first, again []string) {
	kind, told, _ := strings.Cut(c.description, " with ")
	things := strings.Split(told, ", ")
	first = []string{c.description}
	for _, thing := range things {
		first = append(first, kind+" with "+thing)
	}
	slices.Reverse(things)
	return first, []string{kind + " with " + strings.Join(things, ", "), "the " + strings.Join(things, " and the ")}
}

var mostQueries = regexp.MustCompile(`at most (\d+) quer`)

// most is how many queries the prompt allows.
func most(content string) int {
	if m := mostQueries.FindStringSubmatch(content); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			return max(1, n)
		}
	}
	return 3
}

// answer is the end of the chain.
func answer(content string) string {
	if c := follow(content, documents(content, "DOC")); c.answer != "" {
		return c.answer
	}
	return "Unknown"
}

// judge compares two answers letter by letter, but for case, outer spaces and a last full stop.
func judge(content string) string {
	plain := func(label string) string {
		return strings.ToLower(strings.TrimSpace(strings.TrimSuffix(line(content, label), ".")))
	}
	right, given := plain("Right answer"), plain("Given answer")
	if right != given {
		return object(map[string]any{"correct": false, "reasoning": "The answers differ."})
	}
	return object(map[string]any{"correct": true, "reasoning": "The answers are the same."})
}

func object(v map[string]any) string {
	text, err := json.Marshal(v)
	if err != nil { // not of what is made here
		return "{}"
	}
	return string(text)
}
