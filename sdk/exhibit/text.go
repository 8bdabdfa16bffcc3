package exhibit

import (
	"strings"
	"unicode/utf8"
)

// maxRunes is the maximum number of displayed characters of a text.
const maxRunes = 2500

// Paragraphs writes alternating names and texts, each pair as a paragraph: the question, the expected answer, the
// actual answer. It cuts long texts and replaces bytes that are not UTF-8.
func Paragraphs(pairs ...string) string {
	var b strings.Builder
	for i := 0; i+1 < len(pairs); i += 2 {
		if i > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(pairs[i] + "\n" + cutText(pairs[i+1]))
	}
	return b.String()
}

// cutText keeps the beginning of a text.
func cutText(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if utf8.RuneCountInString(text) <= maxRunes {
		return text
	}
	return string([]rune(text)[:maxRunes]) + " …"
}

// TextDistance returns the difference of two texts, from 0 to 1: 1 - F1 of their words, regardless of order.
func TextDistance(expected, found string) float64 {
	words := map[string]int{}
	want, have, both := strings.Fields(expected), strings.Fields(found), 0
	for _, w := range want {
		words[w]++
	}
	for _, w := range have {
		if words[w] > 0 {
			words[w]--
			both++
		}
	}
	if len(want)+len(have) == 0 {
		return 0
	}
	return 1 - 2*float64(both)/float64(len(want)+len(have))
}

// WordErrors returns the number of words to insert, delete or replace to turn one text into the other.
func WordErrors(expected, found string) int {
	want, have := strings.Fields(expected), strings.Fields(found)
	row := make([]int, len(have)+1)
	for j := range row {
		row[j] = j
	}
	for i, w := range want {
		before := row[0]
		row[0] = i + 1
		for j, h := range have {
			cost := before
			if w != h {
				cost = 1 + min(before, row[j], row[j+1])
			}
			before, row[j+1] = row[j+1], cost
		}
	}
	return row[len(have)]
}
