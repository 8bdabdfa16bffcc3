package reasoning

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pystr"
	"github.com/plumbline-ml/plumbline/internal/reasoning/extract"
)

// Script is the official script whose rules are used.
type Script uint8

// The official scripts.
const (
	DeepSeekR1 Script = iota
	GPTOSS120B
)

// ErrSet means that there is no grader for a data set's name.
var ErrSet = errors.New("no grader for the set")

// Grader is the method that extracts and grades the answers of a set.
type Grader uint8

// The graders.
const (
	Choice4     Grader = iota + 1 // a letter A to D
	Choice10                      // a letter A to J
	Mathematics                   // the last \boxed{}
	Integer                       // 0 to 999
	Program                       // a program in Python
)

// graders maps parts of a data set's name to graders, in order of precedence. Only gpt-oss-120b's script uses the last
// one.
var graders = [...]struct {
	key    string
	grader Grader
}{
	{"gpqa", Choice4}, {"mmlu_pro", Choice10}, {"math500", Mathematics}, {"aime", Integer}, {"livecodebench", Program},
	{"mmlu", Choice10},
}

// Grader returns the grader of a set: the first whose key occurs in the name, ignoring case. Without one, it returns an
// ErrSet.
func (s Script) Grader(set string) (Grader, error) {
	all := graders[:]
	if s == DeepSeekR1 {
		all = all[:len(all)-1]
	}
	lower := pystr.Lower(set)
	keys := make([]string, len(all))
	for i, g := range all {
		if strings.Contains(lower, g.key) {
			return g.grader, nil
		}
		keys[i] = g.key
	}
	return 0, fmt.Errorf("%w %q: want a name with one of %s in it", ErrSet, set, strings.Join(keys, ", "))
}

// setName returns the name under which a set is counted.
func (s Script) setName(set string) string {
	if s == GPTOSS120B {
		return pystr.Lower(set)
	}
	return set
}

// repeatsOf returns how often the official data of a set contains each question.
func (s Script) repeatsOf(set string) int {
	if s == GPTOSS120B {
		switch set {
		case "aime25":
			return 8
		case "gpqa_diamond":
			return 5
		case "livecodebench_v6":
			return 3
		}
	}
	return 1
}

// extractedAnswer is the answer that a grader extracts from a text.
type extractedAnswer struct {
	text  string
	found bool
	loose bool
}

func (s Script) extractAnswer(g Grader, text string) extractedAnswer {
	switch g {
	case Choice4:
		return answerOfLetter(s.extractChoice(text, 'D'))
	case Choice10:
		return answerOfLetter(s.extractChoice(text, 'J'))
	case Mathematics:
		box, ok := extract.Boxed(text)
		return extractedAnswer{text: box, found: ok}
	case Integer:
		n, ok := extract.Integer(text)
		return extractedAnswer{text: strconv.Itoa(n), found: ok}
	}
	source, ok := s.extractProgram(text)
	return extractedAnswer{text: source, found: ok}
}

func (s Script) extractChoice(text string, last byte) extract.ChosenLetter {
	if s == DeepSeekR1 {
		return extract.Choice(text, last)
	}
	return extract.HarmonyChoice(text, last)
}

func answerOfLetter(l extract.ChosenLetter) extractedAnswer {
	return extractedAnswer{l.Text, l.Text != "", l.Loose}
}

func (s Script) extractProgram(text string) (string, bool) {
	if s == DeepSeekR1 {
		return extract.Program(text)
	}
	return extract.HarmonyProgram(text)
}

// readTruth returns the normalized truth of a row. ok is false if no answer can equal it.
func (g Grader) readTruth(text string) (value string, ok bool) {
	switch g {
	case Choice4, Choice10:
		last := byte('D')
		if g == Choice10 {
			last = 'J'
		}
		value = strings.ToUpper(text)
		return value, len(value) == 1 && 'A' <= value[0] && value[0] <= last
	case Integer:
		return normalizeInteger(text)
	}
	return text, text != ""
}

// describeTruth describes the truths that the grader accepts.
func (g Grader) describeTruth() string {
	switch g {
	case Choice4:
		return "a letter A to D"
	case Choice10:
		return "a letter A to J"
	case Mathematics:
		return "an expression"
	case Integer:
		return "an integer"
	}
	return "the id of a problem"
}

// normalizeInteger reads text like Python's int and returns it in decimal without leading zeros.
func normalizeInteger(text string) (value string, ok bool) {
	t := pystr.Trim(text)
	sign := ""
	if t != "" && (t[0] == '-' || t[0] == '+') {
		sign, t = strings.TrimPrefix(t[:1], "+"), t[1:]
	}
	if strings.HasPrefix(t, "_") || strings.HasSuffix(t, "_") || strings.Contains(t, "__") {
		return "", false
	}
	t = strings.ReplaceAll(t, "_", "")
	if t == "" || strings.ContainsFunc(t, func(r rune) bool { return !pyfloat.IsDigit(r) }) {
		return "", false
	}
	t = strings.TrimLeft(pyfloat.ToASCIIDigits(t), "0")
	if t == "" {
		return "0", true
	}
	return sign + t, true
}
