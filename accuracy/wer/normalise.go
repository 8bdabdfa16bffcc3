package wer

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

var (
	inBrackets    = regexp.MustCompile(`[<\[][^>\]]*[>\]]`)
	inParentheses = regexp.MustCompile(`\([^)]+?\)`)
	digitComma    = regexp.MustCompile(`(\p{Nd}),(\p{Nd})`)
	strayPoint    = regexp.MustCompile(`\.([^0-9]|$)`)
	straySign     = regexp.MustCompile(`[.$¢€£]([^0-9])`)
	strayPercent  = regexp.MustCompile(`([^0-9])%`)
)

// NormaliseEnglish converts English text to one spelling, like Whisper's English normaliser: lower case, expanded
// contractions and titles, numbers in digits, American spelling, without punctuation and diacritics.
func NormaliseEnglish(text string) string {
	text = pystr.Lower(text)
	text = inBrackets.ReplaceAllString(text, "")
	text = inParentheses.ReplaceAllString(text, "")
	text = trimBeforeApostrophes(removeFillers(text))
	for _, r := range contractions {
		text = r.replaceAll(text)
	}
	text = digitComma.ReplaceAllString(text, "$1$2")
	text = strayPoint.ReplaceAllString(text, " $1")
	text = removeDiacritics(text)
	text = americanSpelling(writeNumerals(text))
	text = straySign.ReplaceAllString(text, " $1")
	text = strayPercent.ReplaceAllString(text, "$1 ")
	return collapseSpaces(text)
}

// removeFillers removes filler words such as "um".
func removeFillers(text string) string {
	for _, filler := range []string{"hmm", "mm", "mhm", "mmm", "uh", "um"} {
		text = contraction{filler, ""}.replaceAll(text)
	}
	return text
}

// trimBeforeApostrophes removes the white space before apostrophes.
func trimBeforeApostrophes(text string) string {
	parts := strings.Split(text, "'")
	for i := range parts[:len(parts)-1] {
		parts[i] = strings.TrimRightFunc(parts[i], pystr.IsSpace)
	}
	return strings.Join(parts, "'")
}

// collapseSpaces replaces each run of white space by one blank.
func collapseSpaces(text string) string {
	var b strings.Builder
	space := false
	for _, r := range text {
		if pystr.IsSpace(r) {
			space = true
			continue
		}
		if space {
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(r)
	}
	if space {
		b.WriteByte(' ')
	}
	return b.String()
}

// contraction is a short form and its full form. It must end at a word boundary. If it begins with a letter, it must
// also begin at a word boundary, except n't.
type contraction struct {
	short, full string
}

// contractions are replaced in this order.
var contractions = []contraction{
	{"won't", "will not"}, {"can't", "can not"}, {"let's", "let us"}, {"ain't", "aint"}, {"y'all", "you all"},
	{"wanna", "want to"}, {"gotta", "got to"}, {"gonna", "going to"}, {"i'ma", "i am going to"},
	{"imma", "i am going to"}, {"woulda", "would have"}, {"coulda", "could have"}, {"shoulda", "should have"},
	{"ma'am", "madam"},
	{"mr", "mister "}, {"mrs", "missus "}, {"st", "saint "}, {"dr", "doctor "}, {"prof", "professor "},
	{"capt", "captain "}, {"gov", "governor "}, {"ald", "alderman "}, {"gen", "general "}, {"sen", "senator "},
	{"rep", "representative "}, {"pres", "president "}, {"rev", "reverend "}, {"hon", "honorable "},
	{"asst", "assistant "}, {"assoc", "associate "}, {"lt", "lieutenant "}, {"col", "colonel "}, {"jr", "junior "},
	{"sr", "senior "}, {"esq", "esquire "},
	{"'d been", " had been"}, {"'s been", " has been"}, {"'d gone", " had gone"}, {"'s gone", " has gone"},
	{"'d done", " had done"}, {"'s got", " has got"},
	{negationEnding, " not"}, {"'re", " are"}, {"'s", " is"}, {"'d", " would"}, {"'ll", " will"}, {"'t", " not"},
	{"'ve", " have"}, {"'m", " am"},
}

// negationEnding is the only contraction that begins with a letter and may follow one.
const negationEnding = "n't"

func (c contraction) replaceAll(text string) string {
	if !strings.Contains(text, c.short) {
		return text
	}
	whole := c.short[0] != '\'' && c.short != negationEnding
	var b strings.Builder
	done := 0
	for at := 0; ; {
		i := strings.Index(text[at:], c.short)
		if i < 0 {
			break
		}
		i += at
		end := i + len(c.short)
		if startsWithWord(text[end:]) || whole && endsWithWord(text[:i]) {
			at = i + 1
			continue
		}
		b.WriteString(text[done:i])
		b.WriteString(c.full)
		done, at = end, end
	}
	b.WriteString(text[done:])
	return b.String()
}

func startsWithWord(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return text != "" && pystr.IsWord(r)
}

func endsWithWord(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return text != "" && pystr.IsWord(r)
}

// undecomposedLetters maps letters that have no Unicode decomposition.
var undecomposedLetters = map[rune]string{'œ': "oe", 'Œ': "OE", 'ø': "o", 'Ø': "O", 'æ': "ae", 'Æ': "AE", 'ß': "ss",
	'ẞ': "SS",
	'đ': "d", 'Đ': "D", 'ð': "d", 'Ð': "D", 'þ': "th", 'Þ': "th", 'ł': "l", 'Ł': "L"}

// removeDiacritics removes diacritics and replaces marks, symbols and punctuation by blanks, except those of numbers.
func removeDiacritics(text string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(text) {
		plain, special := undecomposedLetters[r]
		switch {
		case strings.ContainsRune(".%$¢€£", r):
			b.WriteRune(r)
		case special:
			b.WriteString(plain)
		case unicode.Is(unicode.Mn, r):
		case unicode.In(r, unicode.M, unicode.S, unicode.P):
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
