package tools

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	showTurns = flag.String("turns", "", "a document, package folder or \"cli\": list its turns")
)

// turns contains the ten turns that CONTRIBUTING.md ("Plain English") asks writers to avoid, in order. Most patterns
// find only the common forms, and some find correct sentences: the rate counts, not the instance. A sentence begins at
// ^.
func turns() [10]*regexp.Regexp {
	return [10]*regexp.Regexp{
		regexp.MustCompile(`^(Of|From|By|What|Whatever|Where) (.*[^?])$`),
		regexp.MustCompile(`\b(is|are|was|were|be|been) told\b|\b(tells?|told) of\b`),
		regexp.MustCompile(`(?i)\b(nobody|whoever|no one)\b|\bnone (of|is|are|was|were|has|have|that|can|may|does)\b`),
		regexp.MustCompile(`(?i)(\bthere )?\b(is|are|was|were|be) (no [a-z]+|none\b)`),
		regexp.MustCompile(`(?i)\bwants\b|\b(file|folder|page|list|table|log|row|line|report|archive|index)s? (has|have) `),
		regexp.MustCompile("[a-z)]: [a-z`\"]"),
		regexp.MustCompile(`(?i)\bbesides?\b`),
		regexp.MustCompile(`(?i)\bin (the|its|their) places? of\b|\bin its place\b`),
		regexp.MustCompile(`(?i)\b(so many|so much|at (the )?most|at the least|the most (that|of|there|it))\b`),
		regexp.MustCompile(`, (in |of |by |to |with |from )?(which|who|whose|whom)\b[^,;]*[.;]$`),
	}
}

// colons is the turn that is counted separately, because it is the most frequent one and often correct English. It is
// not counted in texts of the command line, because errors in Go read "file: what is wrong".
const colons = 5

// TestTurns counts the ten turns in three kinds of text and fails if a rate per 1,000 words exceeds the one in
// testdata/turns.json. "go test -run TestTurns -lower ." writes rates that have fallen, -v prints the counts, and
// -turns=docs/serving.md prints the sentences of a page that have a turn.
func TestTurns(t *testing.T) {
	top := root(t)
	documents, comments := countTurns(t, documentTexts(t, top)), countTurns(t, packageComments(t, top))
	commandLine := countTurns(t, commandLineTexts(t, top))
	rates := map[string]float64{
		"documents":                documents.others(),
		"documents: colons":        documents.rate(documents.found[colons]),
		"package comments":         comments.others(),
		"package comments: colons": comments.rate(comments.found[colons]),
		"command line":             commandLine.others(),
	}
	t.Logf("turns 1 to 10 in documents %d, in package comments %d, in the command line %d",
		documents.found, comments.found, commandLine.found)
	holdRates(t, "testdata/turns.json", rates, "turns to avoid per 1,000 words. CONTRIBUTING.md lists the turns; "+
		"-turns=docs/serving.md lists the sentences of a page")
}

// turnExample is a row of CONTRIBUTING.md's table: number, turn, sentence to avoid, plain sentence.
var turnExample = regexp.MustCompile(`(?m)^\| (\d+) \| [^|]+ \| ([^|]+) \| ([^|]+) \|$`)

// TestTurnExamples finds each turn in the sentence that CONTRIBUTING.md gives for it, and none in the plain form.
func TestTurnExamples(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n"+plainEnglish+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := turnExample.FindAllStringSubmatch(section, -1)
	if len(rows) != len(turns()) {
		t.Fatalf("%d rows, want one for each of %d turns", len(rows), len(turns()))
	}
	for i, turn := range turns() {
		row := rows[i]
		if row[1] != strconv.Itoa(i+1) || turnsIn(turn, row[2]) == 0 {
			t.Errorf("row %d: turn %d is not found in %q", i+1, i+1, row[2])
		}
		for j, other := range turns() {
			if turnsIn(other, row[3]) > 0 {
				t.Errorf("row %d: the plain form %q has turn %d", i+1, row[3], j+1)
			}
		}
	}
}

// counted contains the words of a kind of text and the counts of each turn.
type counted struct {
	words int
	found [10]int
}

// rate returns n per 1,000 words, rounded up to one digit.
func (c counted) rate(n int) float64 {
	return math.Ceil(float64(n)/float64(c.words)*1e4) / 10
}

// others returns the rate of all turns except colons.
func (c counted) others() float64 {
	n := -c.found[colons]
	for _, found := range c.found {
		n += found
	}
	return c.rate(n)
}

// countTurns counts the turns of texts, and prints those of the text that -turns names.
func countTurns(t *testing.T, texts map[string]string) (c counted) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		for _, sentence := range sentences(texts[name]) {
			c.words += len(strings.Fields(sentence))
			for i, turn := range turns() {
				n := turnsIn(turn, sentence)
				c.found[i] += n
				if n > 0 && name == *showTurns {
					fmt.Printf("%d: %s\n", i+1, sentence)
				}
			}
		}
	}
	if c.words < 1000 {
		t.Fatalf("only %d words found", c.words)
	}
	return c
}

// turnsIn counts a turn in a sentence. "There is no" is plain English.
func turnsIn(turn *regexp.Regexp, sentence string) int {
	n := 0
	for _, m := range turn.FindAllString(sentence, -1) {
		if !strings.HasPrefix(strings.ToLower(m), "there ") && !strings.HasSuffix(m, " no longer") {
			n++
		}
	}
	return n
}

var (
	sentenceEnd = regexp.MustCompile(`[.!?]\)?\s+`)
	codeSpan    = regexp.MustCompile("`[^`]*`")
	linkTarget  = regexp.MustCompile(`\]\([^)]*\)`)
)

// sentences splits a text into paragraphs, at empty lines, and paragraphs into sentences. A code span counts as one
// word.
func sentences(text string) []string {
	var all []string
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		paragraph = codeSpan.ReplaceAllString(strings.Join(strings.Fields(paragraph), " "), "CODE")
		start := 0
		for _, at := range sentenceEnd.FindAllStringIndex(paragraph, -1) {
			all = append(all, strings.TrimSpace(paragraph[start:at[1]]))
			start = at[1]
		}
		if start < len(paragraph) {
			all = append(all, paragraph[start:])
		}
	}
	return all
}

// plainEnglish is the heading of the section of CONTRIBUTING.md on the turns.
const plainEnglish = "## Plain English"

// documentTexts returns the prose of README, the top level and docs/ by file name. List items and table cells are
// paragraphs. It excludes the page on plain English itself, which quotes the turns.
func documentTexts(t *testing.T, top string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, path := range documents(t, top) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(top, path)
		if err != nil {
			t.Fatal(err)
		}
		before, after, _ := strings.Cut(string(text), "\n"+plainEnglish+"\n")
		_, after, _ = strings.Cut(after, "\n## ")
		texts[filepath.ToSlash(name)] = prose(before + "\n\n" + after)
	}
	return texts
}

// prose returns the text of a document without code, headings and the targets of links.
func prose(text string) string {
	var b strings.Builder
	code, fenced, blank := false, false, true
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		start := strings.TrimSpace(line)
		fence := strings.HasPrefix(start, "```")
		code = strings.HasPrefix(line, "    ") && (blank || code) || code && line == ""
		blank = line == ""
		switch {
		case fence || fenced || code || strings.HasPrefix(line, "#"):
			b.WriteString("\n\n")
		case strings.HasPrefix(start, "|"):
			b.WriteString("\n\n" + strings.ReplaceAll(strings.Trim(start, "|- "), "|", "\n\n") + "\n\n")
		case strings.HasPrefix(start, "- ") || strings.HasPrefix(start, "* "):
			b.WriteString("\n\n" + start[2:] + "\n")
		default:
			b.WriteString(line + "\n")
		}
		fenced = fenced != fence
	}
	return linkTarget.ReplaceAllString(b.String(), "]")
}

// packageComments returns the comments of packages by folder, excluding tests.
func packageComments(t *testing.T, top string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, path := range goFiles(t, top) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		folder, err := filepath.Rel(top, filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		if comment := prose(file.Doc.Text()); !strings.HasPrefix(comment, "Code generated") {
			texts[filepath.ToSlash(folder)] += comment + "\n\n"
		}
	}
	return texts
}

// textWords is the minimum number of words in a string of the command line's code that counts as a text for users.
const textWords = 4

// commandLineTexts returns the strings of the command line's code: help, flags, errors.
func commandLineTexts(t *testing.T, top string) map[string]string {
	t.Helper()
	var b strings.Builder
	for _, path := range goFiles(t, filepath.Join(top, "cmd", "harness", "internal", "cli")) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if joined, ok := n.(*ast.BinaryExpr); ok && joined.Op == token.ADD {
				if text := joinedText(joined); text != "" {
					writeText(&b, text)
					return false
				}
			}
			if literal, ok := n.(*ast.BasicLit); ok {
				writeText(&b, joinedText(literal))
			}
			return true
		})
	}
	return map[string]string{"cli": b.String()}
}

// joinedText returns the text of a string or of strings joined by +. It omits operands that are not literals.
func joinedText(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, _ := strconv.Unquote(e.Value)
			return text
		}
	case *ast.BinaryExpr:
		left, right := joinedText(e.X), joinedText(e.Y)
		return left + right
	}
	return ""
}

func writeText(b *strings.Builder, text string) {
	if len(strings.Fields(text)) >= textWords {
		b.WriteString(text + "\n\n")
	}
}
