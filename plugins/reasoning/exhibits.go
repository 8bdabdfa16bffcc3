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

// gallery keeps the answers of each set that people should look at: first those in which nothing was found, then wrong
// ones, then those that are right by little.
type gallery struct {
	script reasoning.Script
	most   int // of a set
	items  []prompts.Sample
	decode func(ids []int32) (string, error) // of questions that are ids
	sets   map[string][]reasoning.Answer     // the worst first
}

// mostEnd is how many characters of an answer's end are shown: the end of the thought, and what came of it.
const mostEnd = 1500

// look takes a graded answer in if it is among the worst of its set. Of equal ones the first of the data set count.
func (g *gallery) look(a reasoning.Answer) {
	name := g.items[a.Index].Task
	set := g.sets[name]
	at, _ := slices.BinarySearchFunc(set, a, func(a, b reasoning.Answer) int {
		return cmp.Or(cmp.Compare(badness(b), badness(a)), cmp.Compare(a.Index, b.Index), cmp.Compare(a.Entry, b.Entry))
	})
	if at >= g.most {
		return
	}
	a.Text = end(a.Text)
	set = slices.Insert(set, at, a)
	g.sets[name] = set[:min(len(set), g.most)]
}

// badness says how bad an answer is.
func badness(a reasoning.Answer) int {
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

// end is the last part of a text.
func end(text string) string {
	n := utf8.RuneCountInString(text) - mostEnd
	if n <= 0 {
		return text
	}
	for range n {
		_, size := utf8.DecodeRuneInString(text)
		text = text[size:]
	}
	return "… " + strings.Clone(text)
}

// exhibits are the worst answers that were kept; of equally bad ones those of each set in turn.
func (g *gallery) exhibits() []sdk.Exhibit {
	type ranked struct {
		reasoning.Answer
		set  string
		rank int // among those of its set that are as bad
	}
	var all []ranked
	for _, name := range slices.Sorted(maps.Keys(g.sets)) {
		counts := map[int]int{}
		for _, a := range g.sets[name] {
			all = append(all, ranked{a, name, counts[badness(a)]})
			counts[badness(a)]++
		}
	}
	slices.SortStableFunc(all, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(badness(b.Answer), badness(a.Answer)), cmp.Compare(a.rank, b.rank))
	})
	var shown []sdk.Exhibit
	for _, a := range all[:min(len(all), g.most)] {
		shown = append(shown, g.show(a.set, a.Answer))
	}
	return shown
}

func (g *gallery) show(set string, a reasoning.Answer) sdk.Exhibit {
	item := g.items[a.Index]
	question := item.Input
	if question == "" && len(item.Tokens) > 0 {
		question, _ = g.decode(item.Tokens) // ids that are no text show nothing
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
		Caption: fmt.Sprintf("sample %d of %s, %d tokens: %s", a.Index, set, a.Tokens, g.verdict(set, a)),
		Text:    exhibit.Texts(pairs...),
	}
}

// verdict says what an answer was found to be, and by what.
func (g *gallery) verdict(set string, a reasoning.Answer) string {
	grader, _ := g.script.Grader(set) // of a set that was graded
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
