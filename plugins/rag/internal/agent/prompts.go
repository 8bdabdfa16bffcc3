package agent

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// Step is a step of the loop in which a language model is called.
type Step uint8

// Steps of the loop.
const (
	QueryStep Step = iota
	RelevanceStep
	SufficiencyStep
	AnswerStep
	steps
)

// StepCount is the number of steps.
const StepCount = int(steps)

// stepNames contains each step's key of its prompt and component in the reference's logs.
var stepNames = [steps]struct{ prompt, component string }{
	{"queries", "generate_search_queries"}, {"relevance", "evaluate_document_relevance"},
	{"sufficiency", "check_sufficiency"}, {"answer", "answer_generator"},
}

func (s Step) String() string { return stepNames[s].prompt }

// Component returns the name of a step in the reference's logs.
func (s Step) Component() string { return stepNames[s].component }

// judgeKey is the key of the judge's prompt.
const judgeKey = "judge"

// placeholders lists the placeholders that each prompt must contain.
var placeholders = map[string][]string{
	"queries":     {"question", "kept_docs", "history", "feedback_history", "max_queries"},
	"relevance":   {"question", "new_docs", "kept_docs", "num_docs"},
	"sufficiency": {"question", "kept_docs", "iteration", "max_iterations"},
	"answer":      {"question", "kept_docs"},
	judgeKey:      {"question", "ground_truth", "llm_answer"},
}

// PromptSet contains the prompts of all steps and of the judge.
type PromptSet struct {
	templates map[string]promptTemplate
	// Sum is the SHA-256 of the steps' prompts in the order of their names, and JudgeSum that of the judge's prompt. Both
	// are in lower-case hex.
	Sum, JudgeSum string
}

// ReadPrompts reads queries.txt, relevance.txt, sufficiency.txt, answer.txt and judge.txt in a folder. They contain
// placeholders in the syntax of Python's str.format, such as {question}. Except in answer.txt, {{ and }} stand for
// single braces. The error lists all faults.
func ReadPrompts(files fs.FS) (*PromptSet, error) {
	p := &PromptSet{templates: map[string]promptTemplate{}}
	var faults []error
	all := sha256.New()
	for _, key := range promptKeys() {
		text, err := fs.ReadFile(files, key+".txt")
		if err != nil {
			faults = append(faults, fmt.Errorf("prompts: %w; want %s.txt", err, strings.Join(promptKeys(), ".txt, ")))
			continue
		}
		t, err := parseTemplate(string(text), placeholders[key], key == AnswerStep.String())
		if err != nil {
			faults = append(faults, fmt.Errorf("prompts: %s.txt: %w", key, err))
		}
		p.templates[key] = t
		if key == judgeKey {
			p.JudgeSum = fmt.Sprintf("%x", sha256.Sum256(text))
			continue
		}
		all.Write(append(text, 0))
	}
	p.Sum = fmt.Sprintf("%x", all.Sum(nil))
	return p, errors.Join(faults...)
}

func promptKeys() []string { return slices.Sorted(maps.Keys(placeholders)) }

// JudgePrompt returns the prompt with which a judge compares an answer with the truth.
func (p *PromptSet) JudgePrompt(question, truth, answer string) string {
	return p.templates[judgeKey].fillTemplate(map[string]string{"question": question, "ground_truth": truth,
		"llm_answer": answer})
}

func (p *PromptSet) stepPrompt(s Step, values map[string]string) string {
	return p.templates[s.String()].fillTemplate(values)
}

// promptTemplate is a text with placeholders. Texts and names of placeholders alternate.
type promptTemplate []string

// parseTemplate parses a template. In a plain one, braces around anything except a known placeholder are ordinary text.
func parseTemplate(text string, known []string, plain bool) (t promptTemplate, err error) {
	var faults []error
	found := map[string]bool{}
	var b strings.Builder
	for i := 0; i < len(text); {
		rest := text[i:]
		name, isPlace := leadingPlaceholder(rest)
		switch {
		case !plain && (strings.HasPrefix(rest, "{{") || strings.HasPrefix(rest, "}}")):
			b.WriteByte(rest[0])
			i += 2
		case isPlace && (!plain || slices.Contains(known, name)):
			if !slices.Contains(known, name) {
				faults = append(faults, fmt.Errorf("the place {%s} is unknown, want {%s}", name, strings.Join(known, "}, {")))
			}
			found[name] = true
			t = append(t, b.String(), name)
			b.Reset()
			i += len(name) + 2
		case !plain && (rest[0] == '{' || rest[0] == '}'):
			faults = append(faults, fmt.Errorf("a single %c at byte %d: want it twice, or a place such as {%s}", rest[0], i,
				known[0]))
			i++
		default:
			b.WriteByte(rest[0])
			i++
		}
	}
	for _, name := range known {
		if !found[name] {
			faults = append(faults, fmt.Errorf("it has no place {%s}", name))
		}
	}
	return append(t, b.String()), errors.Join(faults...)
}

// leadingPlaceholder returns the name in braces at the start of text.
func leadingPlaceholder(text string) (string, bool) {
	end := strings.IndexByte(text, '}')
	if end < 2 || text[0] != '{' {
		return "", false
	}
	name := text[1:end]
	return name, strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") == ""
}

func (t promptTemplate) fillTemplate(values map[string]string) string {
	var b strings.Builder
	for i, text := range t {
		if i%2 == 1 {
			text = values[text]
		}
		b.WriteString(text)
	}
	return b.String()
}
