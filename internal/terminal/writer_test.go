package terminal

import (
	"errors"
	"strings"
	"testing"
)

func on(b *strings.Builder, columns int) *Writer {
	return NewWriter(b, Options{Columns: func() int { return columns }})
}

// TestLinesAreBroken checks that lines are broken in the same way for any pieces of the text.
func TestLinesAreBroken(t *testing.T) {
	for _, c := range []struct {
		name    string
		columns int
		text    string
		want    string
	}{
		{"short", 20, "a short line\nand\n", "a short line\nand\n"},
		{"no terminal", 0, "a line that is longer than it is", "a line that is longer than it is"},
		{"long", 20, "a line that is longer than twenty columns\n", "a line that is\n  longer than twenty\n  columns\n"},
		{"indented", 20, "    note: a remark that is long\n", "    note: a remark\n      that is long\n"},
		{"columns stay", 20, "Server       VALID   812 queries/s\n", "Server       VALID\n  812 queries/s\n"},
		{"a long word", 10, "at /a/path/without/a/blank it lies\n", "at\n  /a/path/without/a/blank\n  it lies\n"},
		{"unfinished", 10, "a question that waits? ", "a question\n  that\n  waits?"},
		{"one column", 1, "  a b\n", "a\nb\n"},
		{"wide", 10, "漢字漢字 漢字漢字\n", "漢字漢字\n  漢字漢字\n"},
		{"blanks alone", 3, "          \n\n", "\n\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var whole, pieces strings.Builder
			w := on(&whole, c.columns)
			w.Print(c.text)
			w.Flush()
			if whole.String() != c.want {
				t.Errorf("got %q, want %q", whole.String(), c.want)
			}
			w = on(&pieces, c.columns)
			for _, b := range []byte(c.text) {
				_, _ = w.Write([]byte{b})
			}
			w.Flush()
			if pieces.String() != c.want {
				t.Errorf("in pieces: got %q, want %q", pieces.String(), c.want)
			}
		})
	}
}

// TestStyledLines checks that a style takes no columns, and that other text contains no style.
func TestStyledLines(t *testing.T) {
	var b strings.Builder
	w := on(&b, 12)
	w.SetColour(true)
	w.Print(Span{Heading, "a heading"}, " and\n", StyleVerdict("VALID"), " ", Span{Bad, "\x1b[32mVALID"}, "\n")
	want := "\x1b[1ma heading\x1b[0m\n  and\n\x1b[32mVALID\x1b[0m\n  \x1b[1;31m\\u001b[32mVALID\x1b[0m\n"
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
	b.Reset()
	w.SetColour(false)
	if w.Print(StyleVerdict("INVALID"), "\n"); b.String() != "INVALID\n" {
		t.Errorf("without colours: %q", b.String())
	}
}

type broke struct{}

func (broke) Write([]byte) (int, error) { return 0, errors.New("gone") }

func TestErrorsAreKept(t *testing.T) {
	w := WriterTo(broke{})
	w.Printf("%d\n", 1)
	if w.Err() == nil || w.Err().Error() != "gone" {
		t.Errorf("%v", w.Err())
	}
	if WriterTo(w) != w {
		t.Error("a Writer is wrapped in another")
	}
}

func FuzzBroken(f *testing.F) {
	f.Add("  a line that is   longer", 7)
	f.Fuzz(func(t *testing.T, line string, columns int) {
		line = Line(line)
		got := breakLine(line, columns%200)
		if strings.Join(strings.Fields(got), "") != strings.Join(strings.Fields(line), "") {
			t.Errorf("%q at %d columns is %q", line, columns, got)
		}
		for part := range strings.Lines(got) {
			part = strings.Trim(part, "\n")
			if columns%200 > 0 && Width(part) > columns%200 && strings.Contains(strings.TrimLeft(part, " "), " ") {
				t.Errorf("%q at %d columns has the line %q", line, columns, part)
			}
		}
	})
}
