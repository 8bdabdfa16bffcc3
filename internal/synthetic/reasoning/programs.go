package reasoning

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// constants are the values in a program's text: two numbers and two different letters.
type constants struct {
	k, m int
	c, d byte
}

func (v constants) fill(text string) string {
	return strings.NewReplacer("{k}", strconv.Itoa(v.k), "{m}", strconv.Itoa(v.m), "{j}", strconv.Itoa(v.k-1),
		"{c}", string(v.c), "{d}", string(v.d)).Replace(text)
}

// programFamily is a kind of program.
type programFamily struct {
	method         string // name of the method; empty: the program reads its standard input
	question, plan string
	code           string
	low, high      int // range of {k}
	words          bool
	lines          bool                                  // the input is a number of cases, with a line for each
	numbers        func(a []int, v constants) []int      // result for numbers
	text           func(word string, v constants) string // result for a word
}

const readNumbers = "a = list(map(int, input().split()))\n"

func families() []programFamily {
	return []programFamily{
		{question: "Read numbers from one line. Print their sum times {k} plus {m}.", plan: "sum*{k}+{m}",
			code: readNumbers + "print(sum(a) * {k} + {m})", low: 2, high: 30,
			numbers: func(a []int, v constants) []int { return []int{total(a)*v.k + v.m} }},
		{question: "Read numbers from one line. Print the largest times {k} plus {m}.", plan: "max*{k}+{m}",
			code: readNumbers + "print(max(a) * {k} + {m})", low: 2, high: 30,
			numbers: func(a []int, v constants) []int { return []int{slices.Max(a)*v.k + v.m} }},
		{question: "Read numbers from one line. Print how many are greater than {k}, plus {m}.", plan: "count>{k}+{m}",
			code: readNumbers + "print(sum(x > {k} for x in a) + {m})", low: 20, high: 80,
			numbers: func(a []int, v constants) []int { return []int{len(keepAbove(a, v.k)) + v.m} }},
		{question: "Read numbers from one line. Print number {k} of them in rising order, plus {m}.",
			plan: "sorted {k}-1={j}+{m}",
			code: readNumbers + "print(sorted(a)[{j}] + {m})", low: 2, high: 5,
			numbers: func(a []int, v constants) []int { return []int{slices.Sorted(slices.Values(a))[v.k-1] + v.m} }},
		{question: "Read numbers from one line. Print the rest of each after division by {k}, plus {m}.",
			plan: "each%{k}+{m}",
			code: readNumbers + "print(*[x % {k} + {m} for x in a])", low: 3, high: 30,
			numbers: func(a []int, v constants) []int { return changeEach(a, func(x int) int { return x%v.k + v.m }) }},
		{question: "Read a number of cases, and one number from each line after it. Print each times {k} plus {m}.",
			plan: "lines*{k}+{m}", code: "for _ in range(int(input())):\n    print(int(input()) * {k} + {m})",
			low: 2, high: 30, lines: true,
			numbers: func(a []int, v constants) []int { return changeEach(a, func(x int) int { return x*v.k + v.m }) }},
		{question: "Read a word. Print it from its end to its start, then the letter {c} {k} times.",
			plan: "reverse+{c}*{k}", code: "print(input()[::-1] + '{c}' * {k})", low: 2, high: 9, words: true,
			text: func(word string, v constants) string {
				letters := []byte(word)
				slices.Reverse(letters)
				return string(letters) + strings.Repeat(string(v.c), v.k)
			}},
		{question: "Read a word. Print how often the letter {c} is in it, times {k} plus {m}.", plan: "count {c}*{k}+{m}",
			code: "print(input().count('{c}') * {k} + {m})", low: 2, high: 30, words: true, text: countLetter},
		{question: "Read a word. Print it {k} times in a row, with each letter {c} turned into {d}.",
			plan: "replace {c} {d}*{k}", code: "print(input().replace('{c}', '{d}') * {k})", low: 2, high: 9, words: true,
			text: func(word string, v constants) string {
				return strings.Repeat(strings.ReplaceAll(word, string(v.c), string(v.d)), v.k)
			}},
		{method: "scale", question: "returns each number of the list a times {k} plus {m}.", plan: "each*{k}+{m}",
			code: "return [x * {k} + {m} for x in a]", low: 2, high: 30,
			numbers: func(a []int, v constants) []int { return changeEach(a, func(x int) int { return x*v.k + v.m }) }},
		{method: "above", question: "returns the numbers of the list a that are greater than {k}, each plus {m}.",
			plan: "each>{k}+{m}", code: "return [x + {m} for x in a if x > {k}]", low: 20, high: 80,
			numbers: func(a []int, v constants) []int {
				return changeEach(keepAbove(a, v.k), func(x int) int { return x + v.m })
			}},
		{method: "count", question: "returns how often the letter {c} is in the word a, times {k} plus {m}.",
			plan: "count {c}*{k}+{m}", code: "return a.count('{c}') * {k} + {m}", low: 2, high: 30, words: true,
			text: countLetter},
	}
}

// changeEach returns the result of change for each number.
func changeEach(a []int, change func(x int) int) []int {
	changed := make([]int, len(a))
	for i, x := range a {
		changed[i] = change(x)
	}
	return changed
}

func countLetter(word string, v constants) string {
	return strconv.Itoa(strings.Count(word, string(v.c))*v.k + v.m)
}

func total(a []int) (sum int) {
	for _, x := range a {
		sum += x
	}
	return sum
}

func keepAbove(a []int, k int) []int {
	return slices.DeleteFunc(slices.Clone(a), func(x int) bool { return x <= k })
}

// writeProgram writes a question that requests a program, and its tests.
func writeProgram(r *draw.Random, id string) Row {
	f := drawOne(families(), r)
	v := constants{k: r.IntBetween(f.low, f.high), m: r.IntBetween(10, 99)}
	letters := r.Shuffled(len(alphabet))
	v.c, v.d = alphabet[letters[0]], alphabet[letters[1]]
	p := &Problem{ID: id, Method: f.method, Content: "Write a Python program. " + v.fill(f.question)}
	code := v.fill(f.code)
	if f.method != "" {
		p.Content = "Write the method " + f.method + "(self, a) of the class Solution in Python. It " + v.fill(f.question)
		p.StarterCode = "class Solution:\n    def " + f.method + "(self, a):\n"
		code = p.StarterCode + "        " + code
	}
	for i := range publicTests + privateTests {
		test := f.drawTest(v, r)
		if i < publicTests {
			p.Public = append(p.Public, test)
		} else {
			p.Private = append(p.Private, test)
		}
	}
	return Row{Question: p.Content, Thought: v.fill(f.plan), Answer: "```python\n" + code + "\n```", Truth: id, Problem: p}
}

// alphabet contains the letters of words and of programs' constants.
const alphabet = "abcdefghijklmnoprstuvwyz"

// drawTest draws an input and computes its output.
func (f programFamily) drawTest(v constants, r *draw.Random) Test {
	if f.words {
		word := drawWord(v, r)
		result := f.text(word, v)
		if f.method != "" {
			return Test{fmt.Sprintf("%q", word), result}
		}
		return Test{word + "\n", result + "\n"}
	}
	a := make([]int, r.IntBetween(5, 9))
	for i := range a {
		a[i] = r.IntBetween(1, 99)
	}
	result := f.numbers(a, v)
	switch {
	case f.method != "":
		return Test{list(a), list(result)}
	case f.lines:
		return Test{strconv.Itoa(len(a)) + "\n" + joined(a, "\n") + "\n", joined(result, "\n") + "\n"}
	}
	return Test{joined(a, " ") + "\n", joined(result, " ") + "\n"}
}

// drawWord draws a word in which the first letter of the constants is more frequent than others.
func drawWord(v constants, r *draw.Random) string {
	word := make([]byte, r.IntBetween(6, 12))
	for i := range word {
		word[i] = alphabet[r.IntBelow(len(alphabet))]
		if r.Chance(30) {
			word[i] = v.c
		}
	}
	return string(word)
}

func joined(a []int, between string) string {
	texts := make([]string, len(a))
	for i, n := range a {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, between)
}

func list(a []int) string { return "[" + joined(a, ", ") + "]" }
