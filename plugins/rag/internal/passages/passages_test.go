package passages

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// different are the cases of broken markup that libxml2 mends in another way.
var different = map[string]string{
	"broken":      "one two three four five six seven x y eight",
	"second_body": "a b after",
}

func TestGoldenText(t *testing.T) {
	type page struct{ Name, HTML, Text string }
	golden.Each(t, "rag/html.jsonl", func(t *testing.T, path string) {
		for _, c := range golden.ReadLines[page](t, path) {
			got, err := PageText([]byte(c.HTML))
			if want, known := different[c.Name]; known {
				c.Text = want
			}
			if err != nil || got != c.Text {
				t.Errorf("%s: %q, %v, want %q", c.Name, got, err, c.Text)
			}
		}
	})
}

func TestGoldenSplit(t *testing.T) {
	type text struct {
		Name, Text      string
		Length, Overlap int
		Clean           *string
		Count           int
		Passages        []string
		Lengths         []int
		SHA256          string
	}
	golden.Each(t, "rag/split.jsonl", func(t *testing.T, path string) {
		for _, c := range golden.ReadLines[text](t, path) {
			got := SplitText(c.Text, c.Length, c.Overlap)
			sum := sha256.Sum256([]byte(strings.Join(got, "\x00")))
			var lengths []int
			for _, p := range got {
				lengths = append(lengths, utf8.RuneCountInString(p))
			}
			if len(got) != c.Count || hex.EncodeToString(sum[:]) != c.SHA256 || !slices.Equal(lengths, c.Lengths) {
				t.Errorf("%s: %d passages of %v, want %d of %v", c.Name, len(got), lengths, c.Count, c.Lengths)
			}
			if c.Passages != nil && !slices.Equal(got, c.Passages) {
				t.Errorf("%s: %q, want %q", c.Name, got, c.Passages)
			}
		}
	})
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		page string
		want string
		err  error
	}{
		{"<p>a</p>", "a", nil}, {"", "Document: x.html", nil}, {"<nav>a</nav>", "Document: x.html", nil},
		{"<p>caf\xff</p>", "Document: x.html", ErrPage},
		{strings.Repeat("<div>", 2000) + "a", "Document: x.html", ErrPage},
	} {
		if got, err := SplitPage("x.html", []byte(c.page)); !slices.Equal(got, []string{c.want}) || !errors.Is(err, c.err) {
			t.Errorf("%.20q: %q, %v, want %q, %v", c.page, got, err, c.want, c.err)
		}
	}
}

func TestJoinHyphens(t *testing.T) {
	for text, want := range map[string]string{
		"a- b- c": "a-b- c", "a -\tb": "a -\tb", "co-\n operate": "co-operate", "- b": "- b", "a-": "a-", "a- .": "a- .",
		"é- ß-": "é-ß-", "a- b c- d": "a-b c-d", "-- a": "-- a", "a-b- c": "a-b-c",
	} {
		if got := joinHyphens(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add([]byte("<p>a<nav>b</nav>c- d<br>e.f</p>"))
	f.Fuzz(func(t *testing.T, page []byte) {
		all, _ := SplitPage("x", page)
		if len(all) == 0 {
			t.Fatal("a page without passages")
		}
		for _, p := range all {
			if n := utf8.RuneCountInString(p); n == 0 || n > Length || !utf8.ValidString(p) {
				t.Fatalf("a passage of %d characters: %q", n, p)
			}
		}
	})
}

// BenchmarkOf cuts a page of about 40 passages, as the official ones have.
func BenchmarkOf(b *testing.B) {
	var page strings.Builder
	page.WriteString(`<!DOCTYPE html><html><head><title>T</title><script>var a;</script></head><body>` +
		`<div id="mw-content-text"><div class="mw-parser-output">`)
	for i := range 84 {
		fmt.Fprintf(&page, `<h2><span class="mw-headline">Section %d</span></h2><p>`, i)
		for j := range 8 {
			fmt.Fprintf(&page, `The <a href="/wiki/T%d" title="T">town</a> has %d people<sup class="reference">[%d]</sup>, `+
				`and grew in 1%d3. `, j, 17*j, i, j)
		}
		page.WriteString(`</p><div class="navbox"><ul><li>one<li>two</ul></div>`)
	}
	page.WriteString(`</div></div></body></html>`)
	b.SetBytes(int64(page.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if all, err := SplitPage("x.html", []byte(page.String())); err != nil || len(all) < 30 {
			b.Fatal(len(all), err)
		}
	}
}

// BenchmarkFolder cuts the pages of the folder that PLUMBLINE_PAGES names, and logs the SHA-256 over the passages of
// the first 40, as tools/peers/pages.py prints it.
func BenchmarkFolder(b *testing.B) {
	folder := os.Getenv("PLUMBLINE_PAGES")
	if folder == "" {
		b.Skip("PLUMBLINE_PAGES names no folder of pages: tools/peers/pages.py writes one")
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.html"))
	if err != nil || len(files) == 0 {
		b.Fatal(len(files), err)
	}
	pages := make([][]byte, len(files))
	sum := sha256.New()
	for i, file := range files {
		if pages[i], err = os.ReadFile(file); err != nil {
			b.Fatal(err)
		}
		if all, err := SplitPage(file, pages[i]); err != nil {
			b.Fatal(err)
		} else if i < 40 {
			fmt.Fprint(sum, strings.Join(all, "\x00")+"\x01")
		}
	}
	b.Logf("sha256 %x", sum.Sum(nil))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := SplitPage("x", pages[i%len(pages)]); err != nil {
			b.Fatal(err)
		}
	}
}
