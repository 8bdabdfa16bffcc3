package reasoning

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// comparison is a subject of comparisons.
type comparison struct {
	things                   []string
	option                   string // an option, from a thing and a value
	largest, smallest, given string
	answer                   string
}

func fields() []comparison {
	return []comparison{
		{names(), "%s, %d years old", "Who is the oldest?", "Who is the youngest?", "Who is %d years old?", "Answer: %s"},
		{strings.Fields("argon brine cyan dross ether flux glycol halon iodine jade krypton lava neon ozone paste resin"),
			"%s, %d degrees", "Which boils at the highest point?", "Which boils at the lowest point?",
			"Which boils at %d degrees?", "Final answer: (%s)"},
		{strings.Fields("Ashford Brenholm Caldera Dunmore Eastwick Falkirk Glenby Harwell Jarrow Kelso Langley Marbeck " +
			"Oakham Redcar Selby Whitby"), "%s, %d trams", "Which town has the most trams?",
			"Which town has the fewest trams?", "Which town has %d trams?", "The best answer = %s"},
	}
}

// writeFacts writes a question with four options: the thing with the largest, the smallest or a given number.
func writeFacts(r *draw.Random) Row {
	f := drawOne(fields(), r)
	const n = 4
	values, options := distinctNumbers(r, n), make([]string, n)
	for i, thing := range draw.Shuffle(r, f.things)[:n] {
		options[i] = fmt.Sprintf(f.option, thing, values[i])
	}
	var question, thought string
	var right int
	switch r.IntBelow(3) {
	case 0:
		question = f.largest
		thought, right = search("max", values, func(a, b int) bool { return a > b })
	case 1:
		question = f.smallest
		thought, right = search("min", values, func(a, b int) bool { return a < b })
	default:
		right = r.IntBelow(n)
		question = fmt.Sprintf(f.given, values[right])
		thought = fmt.Sprintf("%d:", values[right]) + searchTo(values[:right+1])
	}
	row := withOptions(question, options, thought, right)
	row.Answer = fmt.Sprintf(f.answer, row.Truth)
	return row
}

// writeTenOptions writes a question with ten options.
func writeTenOptions(r *draw.Random) Row {
	const n = 10
	if r.Chance(25) {
		return writeOddOneOut(r)
	}
	values := distinctNumbers(r, n)
	options := make([]string, len(values))
	for i, value := range values {
		options[i] = strconv.Itoa(value)
	}
	var row Row
	switch r.IntBelow(3) {
	case 0:
		thought, right := search("max", values, func(a, b int) bool { return a > b })
		row = withOptions("Which number is the largest?", options, thought, right)
	case 1:
		thought, right := search("min", values, func(a, b int) bool { return a < b })
		row = withOptions("Which number is the smallest?", options, thought, right)
	default:
		right := r.IntBelow(n)
		a := r.IntBetween(5, values[right]-5)
		steps, sum := computeByHand('+', a, values[right]-a)
		question := fmt.Sprintf("How much is %d+%d?", a, sum-a)
		row = withOptions(question, options, steps+":"+searchTo(values[:right+1]), right)
	}
	row.Answer = "Answer: " + row.Truth
	return row
}

// writeOddOneOut writes a question whose answer is a letter without an announcement; the graders still find it.
func writeOddOneOut(r *draw.Random) Row {
	const n = 10
	all := draw.Shuffle(r, categories())
	class, other := all[0], all[1]
	right := r.IntBelow(n)
	options, thought := make([]string, n), ""
	for i, word := range draw.Shuffle(r, class.words)[:n] {
		options[i] = word
		switch {
		case i < right:
			thought += fmt.Sprintf("%c %s-;", 'A'+i, class.name)
		case i == right:
			options[i] = drawOne(other.words, r)
			thought += fmt.Sprintf("%c %s%[1]c;", 'A'+i, other.name)
		}
	}
	row := withOptions("Which word is no "+class.name+"?", options, class.name+":"+thought, right)
	row.Answer = "So it is " + row.Truth + "."
	return row
}

// withOptions adds the options below the question.
func withOptions(question string, options []string, thought string, right int) Row {
	for i, o := range options {
		question += fmt.Sprintf("\n%c) %s", 'A'+i, o)
	}
	return Row{Question: question, Thought: thought, Truth: string(rune('A' + right))}
}

// search compares the values in the order of their letters. It returns its steps and the index of the best value.
func search(name string, values []int, better func(a, b int) bool) (string, int) {
	text, best := name+":", 0
	for i, v := range values {
		if better(v, values[best]) {
			best = i
		}
		text += fmt.Sprintf("%c%d%c%d;", 'A'+i, v, 'A'+best, values[best])
	}
	return text, best
}

// searchTo compares the values up to the last one, which is the wanted value. It returns its steps.
func searchTo(values []int) (text string) {
	last := len(values) - 1
	for i, v := range values {
		found := "-"
		if i == last {
			found = string(rune('A' + i))
		}
		text += fmt.Sprintf("%c%d/%d%s;", 'A'+i, v, values[last], found)
	}
	return text
}

// distinctNumbers returns n different numbers of two digits.
func distinctNumbers(r *draw.Random, n int) []int {
	var all []int
	for len(all) < n {
		if v := r.IntBetween(10, 99); !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}
