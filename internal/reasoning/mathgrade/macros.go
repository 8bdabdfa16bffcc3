package mathgrade

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/plumbline-ml/plumbline/internal/pystr"
	"golang.org/x/text/unicode/norm"
)

// symbolFile contains the macros without arguments that have a text: one line per macro, with name and text.
//
//go:embed symbols.txt
var symbolFile string

// symbols returns the texts of macros. Macros that are not in the map have no text.
var symbols = sync.OnceValue(func() map[string]string {
	all := map[string]string{
		" ": " ", "#": "#", "$": "$", "&": "&", ",": " ", "-": "\u00ad", ":": " ", ";": " ", "_": "_", "{": "{", "}": "}",
		"%": "%", "enskip": "\u2002", "liminf": "lim inf", "limsup": "lim sup", "quad": "  ", "qquad": "    ",
		"textfrac": "%s/%s",
	}
	for line := range strings.Lines(symbolFile) {
		name, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		all[name] = text
	}
	return all
})

func symbolText(name string) string { return symbols()[name] }

// macroRule describes how to write a macro with arguments.
type macroRule struct { // in the form of latexReader.readArguments
	arguments string // as latexReader.readArguments has them
	text      func(args []string) string
	bare      string // text of the macro without arguments
	named     bool   // without arguments, the whole text fails
	dropped   bool   // the arguments are skipped
}

func nthArgument(n int) func([]string) string { return func(args []string) string { return args[n] } }

func fixedText(text string) func([]string) string { return func([]string) string { return text } }

var macros = func() map[string]macroRule {
	fraction := macroRule{arguments: "{{", text: func(a []string) string { return a[0] + "/" + a[1] }, bare: "%s/%s"}
	cite := macroRule{arguments: "*[[{", text: fixedText("<cit.>"), bare: "<cit.>", dropped: true}
	ref := macroRule{arguments: "{", text: fixedText("<ref>"), bare: "<ref>", dropped: true}
	space := macroRule{arguments: "*{", text: fixedText(""), dropped: true}
	all := map[string]macroRule{
		"frac": fraction, "nicefrac": fraction,
		"sqrt":      {arguments: "[{", text: func(a []string) string { return "√(" + a[1] + ")" }, named: true},
		"footnote":  {arguments: "[{", text: func(a []string) string { return "[" + a[1] + "]" }, named: true},
		"textcolor": {arguments: "[{{", text: nthArgument(2), named: true},
		"colorbox":  {arguments: "[{{", text: nthArgument(2), named: true},
		"fcolorbox": {arguments: "[{[{{", text: nthArgument(4), named: true},
		`\`:         {arguments: "*[", text: fixedText("\n"), bare: "\n", dropped: true},
		"item":      {arguments: "?[", text: itemText, bare: "\n  * "},
		"cite":      cite, "citep": cite, "citet": cite,
		"ref": ref, "cref": ref, "Cref": ref, "autoref": ref, "eqref": ref,
		"hspace": space, "vspace": space,
		"url": {arguments: "{", text: func(a []string) string { return "<" + a[0] + ">" }, bare: "<%s>"},
		"bra": {arguments: "{", text: func(a []string) string { return "⟨" + a[0] + "|" }, bare: "⟨%s|"},
		"ket": {arguments: "{", text: func(a []string) string { return "|" + a[0] + "⟩" }, bare: "|%s⟩"},
		"braket": {
			arguments: "{{", text: func(a []string) string { return "⟨" + a[0] + "|" + a[1] + "⟩" }, bare: "⟨%s|%s⟩",
		},
		"texorpdfstring": {arguments: "{{", text: nthArgument(1)},
	}
	add := func(names string, m macroRule) {
		for name := range strings.FieldsSeq(names) {
			all[name] = m
		}
	}
	add("emph mathrm text textbf textit textrm textsc textsl", macroRule{arguments: "{", text: nthArgument(0)})
	add("ensuremath overbrace overbracket overgroup overleftarrow overleftharpoon overleftrightarrow overline "+
		"overlinesegment overrightarrow overrightharpoon underbrace underbracket undergroup underleftarrow "+
		"underleftrightarrow underline underlinesegment underrightarrow widehat wideparen widetilde",
		macroRule{arguments: "{", text: nthArgument(0), bare: "%s"})
	add("bibliography citenum citetext hypersetup keywords label mbox textmd textsf texttt textup author title date",
		macroRule{arguments: "{", text: fixedText(""), dropped: true})
	add("RequirePackage color documentclass hphantom pagecolor selectlanguage usepackage vphantom xleftarrow xrightarrow",
		macroRule{arguments: "[{", text: fixedText(""), dropped: true})
	add("addcounter addlength setcounter setlength", macroRule{arguments: "[{{", text: fixedText(""), dropped: true})
	add("newcommand renewcommand providecommand", macroRule{arguments: "*{[[{", text: fixedText(""), dropped: true})
	add("DeclareMathOperator", macroRule{arguments: "*{{", text: fixedText(""), dropped: true})
	add("definecolor providecolor", macroRule{arguments: "[{{{", text: fixedText(""), dropped: true})
	for name, mark := range accents {
		all[name] = macroRule{arguments: "{", text: func(a []string) string { return accentText(a[0], mark) },
			bare: norm.NFC.String(" " + string(mark))}
	}
	for name, a := range alphabets {
		all[name] = macroRule{arguments: "{", text: func(args []string) string { return strings.Map(a.letter, args[0]) }}
	}
	return all
}()

func itemText(args []string) string {
	if args[0] != "" {
		return "\n  " + args[1]
	}
	return "\n  * "
}

// accents maps macros to combining marks.
var accents = map[string]rune{
	`"`: '\u0308', "'": '\u0301', ".": '\u0307', "=": '\u0304', "H": '\u030b', "^": '\u0302', "`": '\u0300', "~": '\u0303',
	"acute": '\u0301', "b": '\u0331', "bar": '\u0305', "breve": '\u0306', "c": '\u0327', "check": '\u030c', "d": '\u0323',
	"ddot": '\u0308', "dot": '\u0307', "grave": '\u0300', "hat": '\u0302', "k": '\u0328', "not": '\u0338', "r": '\u030a',
	"tilde": '\u0303', "u": '\u0306', "v": '\u030c', "vec": '\u20d7',
}

// accentText adds an accent to each character.
func accentText(text string, mark rune) string {
	var b strings.Builder
	for _, r := range pystr.Trim(text) {
		if r == 'ı' {
			r = 'i'
		}
		b.WriteString(norm.NFC.String(string([]rune{r, mark})))
	}
	return b.String()
}

// mathAlphabet is one of Unicode's mathematical alphabets: the first capital, the first small letter, and the letters
// with other code points. Digits do not change.
type mathAlphabet struct {
	upper, lower rune
	others       string // pairs of a letter and its code point
}

const otherScripts = "BℬEℰFℱHℋIℐLℒMℳRℛeℯgℊoℴ"

var alphabets = map[string]mathAlphabet{
	"mathbb":   {'𝔸', '𝕒', "CℂHℍNℕPℙQℚRℝZℤ"},
	"mathbf":   {'𝐀', '𝐚', ""},
	"mathcal":  {'𝒜', '𝒶', otherScripts},
	"mathscr":  {'𝒜', '𝒶', otherScripts},
	"mathfrak": {'𝔄', '𝔞', "CℭHℌIℑRℜZℨ"},
	"mathit":   {'𝐴', '𝑎', "hℎ"},
	"mathsf":   {'𝖠', '𝖺', ""},
	"mathtt":   {'𝙰', '𝚊', ""},
}

func (a mathAlphabet) letter(r rune) rune {
	others := []rune(a.others)
	for i := 0; i < len(others); i += 2 {
		if others[i] == r {
			return others[i+1]
		}
	}
	switch {
	case 'A' <= r && r <= 'Z':
		return a.upper + r - 'A'
	case 'a' <= r && r <= 'z':
		return a.lower + r - 'a'
	}
	return r
}

var (
	matrices = map[string]bool{
		"array": true, "pmatrix": true, "bmatrix": true, "smallmatrix": true, "psmallmatrix": true, "bsmallmatrix": true,
	}
	equations = map[string]bool{
		"equation": true, "eqnarray": true, "align": true, "multline": true, "gather": true, "dmath": true,
	}
	// environments maps environments to the forms of their arguments.
	environments = map[string]string{
		"array": "[{", "tabular": "{", "tabular*": "{{", "tabularx": "{[{", "alignat": "{", "alignat*": "{", "figure": "[",
		"table": "[", "enumerate": "[", "itemize": "[", "description": "[", "theorem": "[", "proof": "[",
	}
)
