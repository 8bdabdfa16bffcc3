package reasoning

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/internal/draw"
)

// field is something about which facts are told.
type field struct {
	things          []string
	fact            string // of a thing and a value
	most, least, at string
	answer          string
}

func fields() []field {
	return []field{
		{names(), " %s is %d years old.", "Who is the oldest?", "Who is the youngest?", "Who is %d years old?",
			"Answer: %s"},
		{strings.Fields("argon brine cyan dross ether flux glycol halon iodine jade krypton lava neon ozone paste resin"),
			" %s boils at %d degrees.", "Which boils at the highest point?", "Which boils at the lowest point?",
			"Which boils at %d degrees?", "Final answer: (%s)"},
		{strings.Fields("Ashford Brenholm Caldera Dunmore Eastwick Falkirk Glenby Harwell Jarrow Kelso Langley Marbeck " +
			"Oakham Redcar Selby Whitby"), " %s has %d trams.", "Which town has the most trams?",
			"Which town has the fewest trams?", "Which town has %d trams?", "The best answer = %s"},
	}
}

// facts writes a question with four options: who or what has the most, the least, or a given number.
func facts(r *draw.Random) Row {
	f := one(fields(), r)
	const n = 4
	values, listed, told := distinct(r, n), make([]string, n), make([]string, n)
	for i, at := range r.Shuffled(len(f.things))[:n] {
		listed[i] = f.things[at]
	}
	for i, at := range r.Shuffled(n) {
		told[i] = fmt.Sprintf(f.fact, listed[at], values[at])
	}
	question := "Facts:" + strings.Join(told, "") + "\n"
	label := func(i int) string { return " " + listed[i] }
	var thought, asked string
	var right int
	switch r.Below(3) {
	case 0:
		asked = f.most
		thought, right = search("max", values, label, func(a, b int) bool { return a > b })
	case 1:
		asked = f.least
		thought, right = search("min", values, label, func(a, b int) bool { return a < b })
	default:
		right = r.Below(n)
		asked = fmt.Sprintf(f.at, values[right])
		thought = find(fmt.Sprint(values[right]), values[:right+1], label)
	}
	row := lettered(question+asked, listed, thought, right)
	row.Answer = fmt.Sprintf(f.answer, row.Truth)
	return row
}

// tenOptions writes a question with ten options.
func tenOptions(r *draw.Random) Row {
	const n = 10
	if r.Chance(25) {
		return oddOneOut(r)
	}
	values, options := distinct(r, n), make([]string, n)
	for i, v := range values {
		options[i] = fmt.Sprint(v)
	}
	label := func(int) string { return "" }
	var row Row
	switch r.Below(3) {
	case 0:
		thought, right := search("max", values, label, func(a, b int) bool { return a > b })
		row = lettered("Which number is the largest?", options, thought, right)
	case 1:
		thought, right := search("min", values, label, func(a, b int) bool { return a < b })
		row = lettered("Which number is the smallest?", options, thought, right)
	default:
		right := r.Below(n)
		a := r.Between(5, values[right]-5)
		steps, sum := columns('+', a, values[right]-a)
		question := fmt.Sprintf("How much is %d+%d?", a, sum-a)
		row = lettered(question, options, find(steps, values[:right+1], label), right)
	}
	row.Answer = "Answer: " + row.Truth
	return row
}

// oddOneOut is answered by a letter that nothing announces, and that is found all the same.
func oddOneOut(r *draw.Random) Row {
	const n = 10
	all := categories()
	order := r.Shuffled(len(all))
	class, other := all[order[0]], all[order[1]]
	right := r.Below(n)
	options, thought := make([]string, n), ""
	for i, at := range r.Shuffled(len(class.words))[:n] {
		name := class.name
		options[i] = class.words[at]
		if i == right {
			name, options[i] = other.name, one(other.words, r)
		}
		if i <= right {
			thought += fmt.Sprintf("%c %s;", 'A'+i, name)
		}
	}
	row := lettered("Which word is no "+class.name+"?", options, class.name+":"+thought, right)
	row.Answer = "So it is " + row.Truth + "."
	return row
}

// lettered puts the options below the question.
func lettered(question string, options []string, thought string, right int) Row {
	for i, o := range options {
		question += fmt.Sprintf("\n%c) %s", 'A'+i, o)
	}
	return Row{Question: question, Thought: thought, Truth: string(rune('A' + right))}
}

// search goes through the values in the order of their letters and keeps the best, of which it returns the index.
func search(name string, values []int, label func(int) string, better func(a, b int) bool) (string, int) {
	text, best := name+":", 0
	for i, v := range values {
		if better(v, values[best]) {
			best = i
		}
		text += fmt.Sprintf("%c%s%d%c%d;", 'A'+i, label(i), v, 'A'+best, values[best])
	}
	return text, best
}

// find goes through the values up to the last, which is the one that is looked for.
func find(name string, values []int, label func(int) string) string {
	text := name + ":"
	for i, v := range values {
		text += fmt.Sprintf("%c%s%d;", 'A'+i, label(i), v)
	}
	return text
}

// distinct returns n different numbers of two digits.
func distinct(r *draw.Random, n int) []int {
	var all []int
	for len(all) < n {
		if v := r.Between(10, 99); !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}
