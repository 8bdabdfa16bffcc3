package reasoning

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/accuracy/reasoning"
	"github.com/plumbline-ml/plumbline/datasets/prompts"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
)

// worstGallery keeps the worst answers of each set: first those without an extracted answer, then wrong ones, then
// correct ones with little agreement.
type worstGallery struct {
	script    reasoning.Script
	maxPerSet int // maximum number of answers per set
	samples   []prompts.PromptSample
	decode    func(ids []int32) (string, error)   // decodes questions that are token IDs
	sets      map[string][]reasoning.GradedAnswer // worst answers first
}

// maxEndChars limits the characters shown from the end of an answer, which contains the end of the reasoning and the
// result.
const maxEndChars = 1500

// addAnswer adds a graded answer if it is among the worst of its set. Of equally bad answers, the first in the data set
// are kept.
func (g *worstGallery) addAnswer(a reasoning.GradedAnswer) {
	name := g.samples[a.Index].Task
	set := g.sets[name]
	at, _ := slices.BinarySearchFunc(set, a, func(a, b reasoning.GradedAnswer) int {
		return cmp.Or(cmp.Compare(rateBadness(b), rateBadness(a)), cmp.Compare(a.Index, b.Index), cmp.Compare(a.Entry,
			b.Entry))
	})
	if at >= g.maxPerSet {
		return
	}
	a.Text = textEnd(a.Text)
	set = slices.Insert(set, at, a)
	g.sets[name] = set[:min(len(set), g.maxPerSet)]
}

// rateBadness rates how bad an answer is.
func rateBadness(a reasoning.GradedAnswer) int {
	switch {
	case !a.Found:
		return 4
	case !a.Graded:
		return 1
	case !a.Right:
		return 3
	case a.Loose:
		return 2
	}
	return 0
}

// textEnd returns the end of a text, up to maxEndChars characters.
func textEnd(text string) string {
	n := utf8.RuneCountInString(text) - maxEndChars
	if n <= 0 {
		return text
	}
	for range n {
		_, size := utf8.DecodeRuneInString(text)
		text = text[size:]
	}
	return "… " + strings.Clone(text)
}

// listExhibits returns exhibits of the worst answers. Of equally bad answers, the sets take turns.
func (g *worstGallery) listExhibits() []sdk.Exhibit {
	type ranked struct {
		reasoning.GradedAnswer
		set  string
		rank int // rank within its set among equally bad answers
	}
	var all []ranked
	for _, name := range slices.Sorted(maps.Keys(g.sets)) {
		counts := map[int]int{}
		for _, a := range g.sets[name] {
			all = append(all, ranked{a, name, counts[rateBadness(a)]})
			counts[rateBadness(a)]++
		}
	}
	slices.SortStableFunc(all, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(rateBadness(b.GradedAnswer), rateBadness(a.GradedAnswer)), cmp.Compare(a.rank, b.rank))
	})
	var shown []sdk.Exhibit
	for _, a := range all[:min(len(all), g.maxPerSet)] {
		shown = append(shown, g.showAnswer(a.set, a.GradedAnswer))
	}
	return shown
}

func (g *worstGallery) showAnswer(set string, a reasoning.GradedAnswer) sdk.Exhibit {
	item := g.samples[a.Index]
	question := item.Input
	if question == "" && len(item.Tokens) > 0 {
		question, _ = g.decode(item.Tokens) // on error the question stays empty
	}
	expected := "EXPECTED"
	if grader, _ := g.script.Grader(set); grader == reasoning.Program {
		expected = "PROBLEM WHOSE TESTS IT IS TO PASS"
	}
	pairs := []string{"END OF THE ANSWER", a.Text, "EXTRACTED", a.Extracted, expected, item.Output}
	if question != "" {
		pairs = append([]string{"QUESTION", question}, pairs...)
	}
	return sdk.Exhibit{
		Caption: fmt.Sprintf("sample %d of %s, %d tokens: %s", a.Index, set, a.Tokens, g.verdictText(set, a)),
		Text:    exhibit.Paragraphs(pairs...),
	}
}

// verdictText describes the verdict on an answer, and the evidence for it.
func (g *worstGallery) verdictText(set string, a reasoning.GradedAnswer) string {
	grader, _ := g.script.Grader(set) // the set has been graded, so a grader exists
	word := "wrong"
	switch {
	case !a.Found:
		return "wrong, no answer was found"
	case !a.Graded:
		return "a program that was not executed"
	case a.Right:
		word = "right"
	}
	switch {
	case grader == reasoning.Mathematics:
		return fmt.Sprintf("%s, decided by: %s", word, a.Step)
	case a.Tests != "":
		return word + ", " + a.Tests
	case a.Loose:
		return word + ", a letter that nothing announced as the answer"
	}
	return word
}
