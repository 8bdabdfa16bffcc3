package extract

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pystr"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

func TestChoice(t *testing.T) {
	for _, x := range []struct {
		text, d, j string
		loose      bool // a single letter of ten options
	}{
		{"Answer: AB", "", "", false},
		{"Answer: A1", "A", "A", false},
		{"Answer: A_", "A", "A", false},
		{"**Answer:** A", "", "A", true},
		{`Answer: \boxed{A}`, "", "A", true},
		{"Answer is A", "", "A", true},
		{"answer a thing", "A", "A", false},
		{"finalanswer b", "B", "B", false},
		{"xanswer b.", "", "B", true},
		{"xfinalanswer b.", "", "B", true},
		{"an\u017fwer: c", "C", "C", false},
		{"f\u0131nalan\u017fwer ( d )x", "D", "D", false},
		{"answer i", "", "I", false},
		{"answer \u0131", "", "I", false},
		{"answer \u0130", "", "\u0130", false},
		{"answer a\u212a, answer b", "B", "B", false},
		{"answer b, answer a\u212a", "B", "B", false},
		{"answer A answer B", "B", "B", false},
		{"I am", "", "I", true},
		{`["Answer: C"]`, "C", "C", false},
		{`["]`, "", "", false},
		{`x\nAnswer:\'A`, "", "A", true},
		{"", "", "", false},
	} {
		if got := Choice(x.text, 'D'); got.Text != x.d || got.Loose {
			t.Errorf("%q of four: %+v, want %q", x.text, got, x.d)
		}
		if got := Choice(x.text, 'J'); got.Text != x.j || got.Loose != x.loose {
			t.Errorf("%q of ten: %+v, want %q, loose %v", x.text, got, x.j, x.loose)
		}
	}
}

func TestHarmonyChoice(t *testing.T) {
	const open = "<|channel|>analysis<|message|>Answer: C<|end|><|start|>assistant<|channel|>final<|message|>"
	for _, x := range []struct {
		text  string
		want  string
		loose bool
	}{
		{open + "(B) because<|return|>", "B", true},
		{open + "12. **D**<|return|>", "D", true},
		{open + "Be it so. Answer. a", "A", false},
		{open + "The **answer** (B)", "C", false}, // read from the whole text
		{"The answer. B is it", "B", false},
		{"The answer\uff1a B is it", "", false},
		{"******x**** answer: a", "A", false},
	} {
		if got := HarmonyChoice(x.text, 'D'); got.Text != x.want || got.Loose != x.loose {
			t.Errorf("%q: %+v, want %q, loose %v", x.text, got, x.want, x.loose)
		}
	}
}

func TestInteger(t *testing.T) {
	for _, x := range []struct {
		text string
		want int // -1: none
	}{
		{`\boxed{7} \boxed{ 042 } \boxed{x}`, 42},
		{`\boxed{1000} Answer: 5`, -1},
		{`answer: 12`, 12},
		{"nanswer:\u0661\u0662", 12},
		{"Answer: 12. Answer: 12.5 Answer: 12\u00e9", -1},
		{"Answer: 12 Answer: 13.", 12},
		{`\boxed{` + strings.Repeat("9", 100), -1},
		{`\boxed{` + strings.Repeat("0", 100) + `8}`, 8},
	} {
		n, ok := Integer(x.text)
		if !ok {
			n = -1
		}
		if n != x.want {
			t.Errorf("%q: %d, want %d", x.text, n, x.want)
		}
	}
}

// TestDeep reads numbers of braces and fences that exceed any stack.
func TestDeep(t *testing.T) {
	const many = 1_000_000
	deep := `\boxed{` + strings.Repeat("{", many) + strings.Repeat("}", many)
	if _, ok := Boxed(deep); ok {
		t.Error("a box that is not closed")
	}
	if box, ok := Boxed(deep + "}"); !ok || len(box) != 2*many {
		t.Errorf("a box of %d braces: %d, %v", 2*many, len(box), ok)
	}
	if source, ok := HarmonyProgram(strings.Repeat(fence, many)); source != "" || !ok {
		t.Errorf("%d fences: %q, %v", many, source, ok)
	}
	for _, text := range []string{
		strings.Repeat("**a*", many), strings.Repeat("answer", many), strings.Repeat("answer ", many),
		strings.Repeat(boxMark, many), strings.Repeat("<|channel|>final", many), strings.Repeat("*", many),
	} {
		read(text)
	}
}

// read calls every extractor.
func read(text string) []string {
	box, _ := Boxed(text)
	program, _ := Program(text)
	harmony, _ := HarmonyProgram(text)
	final, _ := Final(text)
	Integer(text)
	return []string{
		Choice(text, 'D').Text, Choice(text, 'J').Text, HarmonyChoice(text, 'D').Text, HarmonyChoice(text, 'J').Text,
		box, program, harmony, final,
	}
}

var options = []string{"", "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "\u0130"}

func seed(f *testing.F) {
	for _, c := range golden.ReadLines[goldenCase](f, "testdata/golden/reasoning/extract/cases.jsonl.gz") {
		f.Add(c.Text)
	}
}

// FuzzChoice compares with a search from the start, letter by letter.
func FuzzChoice(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, last := range []byte("DJ") {
			all := options
			if last == 'D' {
				all = options[:5]
			}
			for _, got := range []ChosenLetter{Choice(text, last), HarmonyChoice(text, last)} {
				if !slices.Contains(all, got.Text) {
					t.Errorf("%q: %q is no option of A to %c", text, got.Text, last)
				}
			}
			if got, want := lastAnnouncedLetter(text, last), slowAnnounced(text, last); got != want {
				t.Errorf("%q: %q, a search from the start finds %q", text, got, want)
			}
		}
		want := strings.ReplaceAll(strings.ReplaceAll(text, `\n`, "\n"), `\'`, "'")
		if got := unescapeText(text); got != want {
			t.Errorf("%q without escapes: %q, want %q", text, got, want)
		}
		if got, want := stripBold(text), slowPlain(text); got != want {
			t.Errorf("%q without stars: %q, want %q", text, got, want)
		}
	})
}

// slowAnnounced tries every position from the start, and continues after each match.
func slowAnnounced(t string, last byte) (found string) {
	for i := 0; i < len(t); {
		_, next := runeAt(t, i)
		if isBoundary(t, i) {
			end, ok := matchWord(t, i, answer)
			if !ok {
				if end, ok = matchWord(t, i, "final"); ok {
					end, ok = matchWord(t, skipSpaces(t, end), answer)
				}
			}
			if ok {
				if l := announcedAt(t, end, last); l != "" {
					found, next = l, end
				}
			}
		}
		i = next
	}
	return found
}

func slowPlain(t string) string {
	var b strings.Builder
	for i := 0; i < len(t); {
		if strings.HasPrefix(t[i:], "**") {
			inside, behind, ok := strings.Cut(t[i+2:], "*")
			if ok && inside != "" && strings.HasPrefix(behind, "*") {
				b.WriteString(inside)
				i += len(inside) + 4
				continue
			}
		}
		b.WriteByte(t[i])
		i++
	}
	return b.String()
}

// FuzzBoxed checks that the content is part of the text, stripped, with balanced braces, and that an integer has three
// digits. In long texts too, the last box and the last colon must equal those of a plain search.
func FuzzBoxed(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text string) {
		box, ok := Boxed(text)
		if ok && (!strings.Contains(text, box) || box != pystr.Trim(box)) {
			t.Errorf("%q: box %q", text, box)
		}
		if strings.Count(box, "{") != strings.Count(box, "}") {
			t.Errorf("%q: box %q has braces out of balance", text, box)
		}
		if n, ok := Integer(text); ok && (n < 0 || n > 999) {
			t.Errorf("%q: integer %d", text, n)
		}
		for _, text := range []string{text, strings.Repeat(" ", maxStep-4) + text + strings.Repeat(`\ x`, maxStep/2)} {
			if got, want := lastBox(text, len(text)), strings.LastIndex(text, boxMark); got != want {
				t.Errorf("%q: the last box at %d, want %d", text, got, want)
			}
			if got, want := lastColon(text, len(text)), strings.LastIndexByte(text, ':'); got != want {
				t.Errorf("%q: the last colon at %d, want %d", text, got, want)
			}
		}
	})
}

// FuzzProgram checks that a program is part of the text and contains no fence, and that the final section contains no
// end mark.
func FuzzProgram(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, extract := range []func(string) (string, bool){Program, HarmonyProgram} {
			if source, _ := extract(text); strings.Contains(source, fence) || !strings.Contains(text, source) {
				t.Errorf("%q: program %q", text, source)
			}
		}
		final, ok := Final(text)
		if !strings.Contains(text, final) || ok && strings.Contains(final, "<|return|>") {
			t.Errorf("%q: final section %q", text, final)
		}
		if utf8.ValidString(text) && !utf8.ValidString(final) {
			t.Errorf("%q: the final section %q cuts a character", text, final)
		}
	})
}

// BenchmarkExtract reads the golden texts, each after thoughts of about 12 thousand tokens. It reads a text ten times
// in a row, so that it is in the processor's cache like a text that was just decoded. All texts together exceed the
// cache.
func BenchmarkExtract(b *testing.B) {
	cases := golden.ReadLines[goldenCase](b, "testdata/golden/reasoning/extract/cases.jsonl.gz")
	var texts []string
	bytes := 0
	const rounds = 10
	for _, c := range cases {
		texts = append(texts, lengthened(c.Text))
		bytes += len(texts[len(texts)-1])
	}
	for _, x := range []struct {
		name string
		call func(string)
	}{
		{"Choice", func(t string) { Choice(t, 'J') }},
		{"HarmonyChoice", func(t string) { HarmonyChoice(t, 'J') }},
		{"Boxed", func(t string) { _, _ = Boxed(t) }},
		{"Integer", func(t string) { Integer(t) }},
		{"Program", func(t string) { Program(t) }},
		{"HarmonyProgram", func(t string) { HarmonyProgram(t) }},
	} {
		b.Run(x.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(rounds * bytes))
			for b.Loop() {
				for _, t := range texts {
					for range rounds {
						x.call(t)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rounds*len(texts)), "ns/text")
		})
	}
}

// lengthened repeats a text to 48 thousand characters, about 12 thousand tokens.
func lengthened(text string) string {
	return strings.Repeat(text+" ", 48_000/(utf8.RuneCountInString(text)+1)+1)
}
