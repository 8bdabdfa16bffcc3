package porter

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

func TestStem(t *testing.T) {
	cases := []struct{ name, words, stems string }{
		{"irregular", "sky skies dying innings news succeed", "sky sky die inning news succeed"},
		{"short", "a is by ", "a is by "},
		{"plurals", "caresses ponies ties caress cats flies", "caress poni tie caress cat fli"},
		{"past and progress", "feed agreed plastered bled motoring sing spied died",
			"feed agre plaster bled motor sing spi die"},
		{"mended", "conflated troubled sized hopping falling hissing failing filing",
			"conflat troubl size hop fall hiss fail file"},
		{"last y", "happy sky enjoy by spy syzygy", "happi sky enjoy by spi syzygi"},
		{"runs of y", "yyyying ayyying yay", "yyyi ayi yay"},
		{"step 2",
			"relational conditional valenci digitizer radicalli vileli vietnamization geologi callousness sensibiliti hopefulli",
			"relat condit valenc digit radic vile vietnam geolog callous sensibl hope"},
		{"step 3", "triplicate formative formalize electriciti hopeful goodness", "triplic form formal electr hope good"},
		{"step 4", "revival allowance airliner adoption homologous bowdlerize replacement opinion",
			"reviv allow airlin adopt homolog bowdler replac opinion"},
		{"step 5", "probate rate cease controll roll", "probat rate ceas control roll"},
		{"digits", "1990s 42 3ies m16s", "1990 42 3ie m16"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			words, stems := strings.Split(c.words, " "), strings.Split(c.stems, " ")
			for i, word := range words {
				if got := Stem(word); got != stems[i] {
					t.Errorf("%q: got %q, want %q", word, got, stems[i])
				}
			}
		})
	}
}

func TestGoldenStems(t *testing.T) { golden.Each(t, "stemmer/*.tsv", checkStems) }

func checkStems(t *testing.T, path string) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, wrong := 0, 0
	for s := bufio.NewScanner(f); s.Scan(); lines++ {
		word, want, _ := strings.Cut(s.Text(), "\t")
		if got := Stem(word); got != want {
			if wrong++; wrong <= 20 {
				t.Errorf("%s: got %s, want %s", word, got, want)
			}
		}
	}
	if lines == 0 || wrong > 0 {
		t.Errorf("%d of %d words differ", wrong, lines)
	}
}

func FuzzStem(f *testing.F) {
	for _, seed := range []string{"", "ies", "eed", "ing", "yyyyed", "ation", "sssses", "alliallialli",
		"xion", "\xffing", "été"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, word string) {
		stem := Stem(word)
		if len(stem) > len(word) || (stem == "") != (word == "") {
			t.Fatalf("%q gives %q", word, stem)
		}
	})
}

// BenchmarkStem measures the time per word of running text.
func BenchmarkStem(b *testing.B) {
	words := strings.Fields("the relational governments announced hopefully that conditions of eleven companies happily " +
		"remained opposed to digitizers")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		Stem(words[i%len(words)])
	}
}
