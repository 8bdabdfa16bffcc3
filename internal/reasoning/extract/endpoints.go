package extract

import (
	"regexp"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// What the extractors of MLPerf Endpoints' client find in the answers to gpt-oss-120b's sets.

// Classes of characters as Python has them: white space, what is no word's, and what is no letter or digit of ASCII.
// Where an expression of the client looks ahead or behind, these take the character: only the first match is used.
const (
	blanks   = `[\s\v\x1c-\x1f\x{85}\p{Z}]*`
	mark     = `(?:\*{1,2}|_{1,2})`
	dash     = `[:\-–]`
	wordEnd  = `(?:$|[^\pL\pN_])`
	wordHead = `(?:^|[^\pL\pN_])`
	plainEnd = `(?:$|[^A-Za-z0-9])`
	plainTop = `(?:^|[^A-Za-z0-9])`
	someGap  = `(?:[\s\v\x1c-\x1f\x{85}\p{Z}]+` + dash + `?` + blanks + `|` + dash + blanks + `)`
)

// letterForms are the ways in which an answer is announced, the surest first. The first group is the letter.
var letterForms = []*regexp.Regexp{
	regexp.MustCompile(`(?i)` + mark + `Answers?` + blanks + dash + `?` + mark + blanks + `([ABCD])` + wordEnd),
	regexp.MustCompile(`(?im)^` + blanks + mark + `?Answer:?` + mark + `?` + blanks + `:?` + blanks + mark +
		`?([ABCD])`),
	regexp.MustCompile(`(?i)` + wordHead + `Answers?` + blanks + dash + `?` + blanks + `\(` + blanks + `([ABCD])` +
		blanks + `\)`),
	regexp.MustCompile(`(?i)` + wordHead + `Answers?` + someGap + `([ABCD])` + wordEnd),
	regexp.MustCompile(`(?i)` + wordHead + `(?:Option|Choice)` + someGap + `([ABCD])` + wordEnd),
	regexp.MustCompile(`\\boxed\{[^}]*?([ABCD])[^}]*\}`),
	regexp.MustCompile(`\\boxed\{[^}]*?\\textbf\{[^}]*?([ABCD])[^}]*\}[^}]*\}`),
	regexp.MustCompile(`\\boxed\{[^}]*?\\text\{[^}]*?([ABCD])[^}]*\}[^}]*\}`),
	regexp.MustCompile(plainTop + `[(\[]` + blanks + `([ABCD])` + blanks + `[)\]]` + plainEnd),
	regexp.MustCompile(plainTop + mark + `([ABCD])` + mark + plainEnd),
	regexp.MustCompile(`\\textbf\{[^}]*?([ABCD])[^}]*\}`),
	regexp.MustCompile(plainTop + mark + blanks + `([ABCD])\)[^*_\n]+?` + mark + plainEnd),
	regexp.MustCompile(`(?m)^` + blanks + mark + `?([ABCD])`),
}

// MarkedChoice is the letter A to D that an answer announces in one of the client's forms, or begins with; "" where
// there is none.
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

// LastBoxed is what stands behind the last comma of the last box that is not empty, up to the box's first closing
// brace; without such a box, the last number.
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

// LastProgram is the last block of Python, else the last block of any kind, without a name of the language.
func LastProgram(text string) (source string, ok bool) { return lastProgram(pystr.Trim(text)) }
