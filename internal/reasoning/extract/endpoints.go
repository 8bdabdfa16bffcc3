package extract

import (
	"regexp"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// This file contains the extractors of MLPerf Endpoints' client for the answers to gpt-oss-120b's sets.

// Classes of characters as in Python: white space, characters outside words, and characters other than ASCII letters
// and digits. If an expression of the client looks ahead or behind, these consume the character; this is equivalent
// because only the first match is used.
const (
	blanks     = `[\s\v\x1c-\x1f\x{85}\p{Z}]*`
	emphasis   = `(?:\*{1,2}|_{1,2})`
	dash       = `[:\-–]`
	wordEnd    = `(?:$|[^\pL\pN_])`
	wordStart  = `(?:^|[^\pL\pN_])`
	plainEnd   = `(?:$|[^A-Za-z0-9])`
	plainStart = `(?:^|[^A-Za-z0-9])`
	gap        = `(?:[\s\v\x1c-\x1f\x{85}\p{Z}]+` + dash + `?` + blanks + `|` + dash + blanks + `)`
)

// letterForms are the forms of an announced answer, the most reliable first. The first group is the letter.
var letterForms = []*regexp.Regexp{
	regexp.MustCompile(`(?i)` + emphasis + `Answers?` + blanks + dash + `?` + emphasis + blanks + `([ABCD])` + wordEnd),
	regexp.MustCompile(`(?im)^` + blanks + emphasis + `?Answer:?` + emphasis + `?` + blanks + `:?` + blanks + emphasis +
		`?([ABCD])`),
	regexp.MustCompile(`(?i)` + wordStart + `Answers?` + blanks + dash + `?` + blanks + `\(` + blanks + `([ABCD])` +
		blanks + `\)`),
	regexp.MustCompile(`(?i)` + wordStart + `Answers?` + gap + `([ABCD])` + wordEnd),
	regexp.MustCompile(`(?i)` + wordStart + `(?:Option|Choice)` + gap + `([ABCD])` + wordEnd),
	regexp.MustCompile(`\\boxed\{[^}]*?([ABCD])[^}]*\}`),
	regexp.MustCompile(`\\boxed\{[^}]*?\\textbf\{[^}]*?([ABCD])[^}]*\}[^}]*\}`),
	regexp.MustCompile(`\\boxed\{[^}]*?\\text\{[^}]*?([ABCD])[^}]*\}[^}]*\}`),
	regexp.MustCompile(plainStart + `[(\[]` + blanks + `([ABCD])` + blanks + `[)\]]` + plainEnd),
	regexp.MustCompile(plainStart + emphasis + `([ABCD])` + emphasis + plainEnd),
	regexp.MustCompile(`\\textbf\{[^}]*?([ABCD])[^}]*\}`),
	regexp.MustCompile(plainStart + emphasis + blanks + `([ABCD])\)[^*_\n]+?` + emphasis + plainEnd),
	regexp.MustCompile(`(?m)^` + blanks + emphasis + `?([ABCD])`),
}

// MarkedChoice returns the letter A to D that the text announces in one of the client's forms or begins with, or "".
func MarkedChoice(text string) string {
	for _, form := range letterForms {
		if m := form.FindStringSubmatch(text); m != nil {
			return strings.ToUpper(m[1])
		}
	}
	if first := strings.ToUpper(strings.TrimPrefix(text, "**")); first != "" && strings.Contains("ABCD", first[:1]) {
		return first[:1]
	}
	return ""
}

var (
	boxes   = regexp.MustCompile(`(?s)boxed\{(.*?)\}|framebox\{(.*?)\}`)
	numbers = regexp.MustCompile(`\p{Nd}+`)
)

// LastBoxed returns the text after the last comma of the last nonempty box, up to the box's first closing brace.
// Without such a box it returns the last number.
func LastBoxed(text string) (content string, ok bool) {
	all := boxes.FindAllStringSubmatch(text, -1)
	for i := len(all) - 1; i >= 0; i-- {
		if inside := all[i][1] + all[i][2]; inside != "" {
			return pystr.Trim(inside[strings.LastIndexByte(inside, ',')+1:]), true
		}
	}
	if all := numbers.FindAllString(text, -1); len(all) > 0 {
		return all[len(all)-1], true
	}
	return "", false
}

// LastProgram returns the last block of Python, or else the last block of any kind, without the name of the language.
func LastProgram(text string) (source string, ok bool) { return lastProgram(pystr.Trim(text)) }
