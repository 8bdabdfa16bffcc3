package table

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/terminal"
)

// written returns a table on a terminal with a number of columns; 0: no terminal.
func written(t *testing.T, tab *Table, columns int) string {
	t.Helper()
	var b strings.Builder
	w := terminal.NewWriter(&b, terminal.Options{Columns: func() int { return columns }})
	n, err := tab.WriteTo(w)
	if err != nil || columns == 0 && n != int64(strings.Count(b.String(), "\n")) {
		t.Errorf("n = %d, err = %v, of\n%s", n, err, b.String())
	}
	return b.String()
}

func settings() *Table {
	tab := &Table{Indent: "  ", RightAligned: []int{1}}
	tab.Row("min_duration", 600000, "ms", "a long remark that is broken into several lines of text")
	tab.Row("seed", "7")
	tab.Row("größe", 12, "", "x")
	tab.Row()
	return tab
}

func flags() *Table {
	tab := &Table{Indent: "  ", KeepWhole: true}
	tab.Row("--set KEY=VALUE", "a setting")
	tab.Row("--backend-secret KEY=env:NAME", "a secret option, which no log shows")
	return tab
}

func models() *Table {
	tab := &Table{}
	tab.Head("MODEL", "BACKENDS", "SUMMARY")
	tab.Row("resnet50", "ort, process, kserve", "image classification, ImageNet, 1000 classes")
	tab.Row("bert-99", "ort", "http://example.org/a/long/address/that/has/no/blank.onnx")
	return tab
}

func TestTable(t *testing.T) {
	for _, c := range []struct {
		name    string
		table   *Table
		columns int
		want    string
	}{
		{"no terminal", settings(), 0, `
  min_duration  600000  ms  a long remark that is broken into several lines of text
  seed               7
  größe             12      x

`},
		{"the last cell is broken", settings(), 52, `
  min_duration  600000  ms  a long remark that is
                            broken into several
                            lines of text
  seed               7
  größe             12      x

`},
		{"the last cell has no room", settings(), 40, `
  min_duration  600000  ms
      a long remark that is broken into
      several lines of text
  seed               7
  größe             12      x

`},
		{"a column of words stays", models(), 60, `
MODEL     BACKENDS              SUMMARY
resnet50  ort, process, kserve  image classification,
                                ImageNet, 1000 classes
bert-99   ort
    http://example.org/a/long/address/that/has/no/blank.onnx
`},
		{"a column of words is broken", models(), 46, `
MODEL     BACKENDS     SUMMARY
resnet50  ort,         image classification,
          process,     ImageNet, 1000 classes
          kserve
bert-99   ort
    http://example.org/a/long/address/that/has/no/blank.onnx
`},
		{"a terminal of 16 columns", models(), 16, `
MODEL resnet50
  BACKENDS ort,
    process,
    kserve
  SUMMARY image
    classification,
    ImageNet,
    1000 classes
MODEL bert-99
  BACKENDS ort
  SUMMARY
    http://example.org/a/long/address/that/has/no/blank.onnx
`},
		{"a long first cell", flags(), 50, `
  --set KEY=VALUE  a setting
  --backend-secret KEY=env:NAME
                   a secret option, which no log
                   shows
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := written(t, c.table, c.columns); got != c.want[1:] {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want[1:])
			}
		})
	}
}

func TestEmptyTable(t *testing.T) {
	var tab Table
	if got := written(t, &tab, 80); got != "" || tab.Len() != 0 {
		t.Errorf("an empty table writes %q", got)
	}
}

// TestStyles checks that headings and verdicts have a style, but the blanks between them do not.
func TestStyles(t *testing.T) {
	tab := Table{}
	tab.Head("RUN", "VERDICT", "OF")
	tab.Row("a", terminal.StyleVerdict("VALID"), "1")
	var b strings.Builder
	_, _ = tab.WriteTo(terminal.NewWriter(&b, terminal.Options{Colour: true}))
	want := "\x1b[1mRUN\x1b[0m  \x1b[1mVERDICT\x1b[0m  \x1b[1mOF\x1b[0m\na    \x1b[32mVALID\x1b[0m    1\n"
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

// TestTablesFit draws tables at random. Lines must not be too long, except for a single word, and words must be neither
// lost nor broken.
func TestTablesFit(t *testing.T) {
	const alphabet = "abcdefghijklmnopqrstuvwxyzäöü漢字"
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		letters := []rune(alphabet)
		word := func() string {
			var b strings.Builder
			for range 1 + r.IntN(30) {
				b.WriteRune(letters[r.IntN(len(letters))])
			}
			return b.String()
		}
		tab, words := Table{Indent: strings.Repeat(" ", r.IntN(4))}, map[string]int{}
		columns := 1 + r.IntN(120)
		for range r.IntN(6) {
			var row []any
			for range r.IntN(7) {
				var cell []string
				for range r.IntN(8) {
					w := word()
					cell, words[w] = append(cell, w), words[w]+1
				}
				row = append(row, strings.Join(cell, " "))
			}
			tab.Row(row...)
		}
		text := written(t, &tab, columns)
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if terminal.Width(line) > columns && len(strings.Fields(line)) > 1 || strings.TrimRight(line, " ") != line {
				t.Errorf("seed %d, %d columns: %q", seed, columns, line)
			}
		}
		for _, w := range strings.Fields(text) {
			words[w]--
		}
		for w, n := range words {
			if n != 0 {
				t.Errorf("seed %d, %d columns: %q is there %d times too seldom", seed, columns, w, n)
			}
		}
	}
}

func ExampleTable() {
	tab := Table{Indent: "  "}
	tab.Row("plugin", "resnet50 0.1.0")
	tab.Row("data", "synthetic")
	var b strings.Builder
	_, _ = tab.WriteTo(&b)
	fmt.Print(b.String())
	// Output:
	//   plugin  resnet50 0.1.0
	//   data    synthetic
}
