package clip

import (
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// cleanGenerator is what transformers' tokenizer does with text between special tokens.
func cleanGenerator(text string) string {
	if isPlain(text) {
		return strings.ToLower(text)
	}
	return pystr.Lower(strings.Join(pystr.Fields(fixText(text)), " "))
}

// cleanScorer is what open_clip's tokenizer does.
func cleanScorer(text string) string {
	if isPlain(text) {
		return strings.ToLower(text)
	}
	text = unescapeEntities(unescapeEntities(fixText(text)))
	return pystr.Lower(strings.Join(pystr.Fields(text), " "))
}

// isPlain is true for text in which cleaning finds nothing but capitals, and blanks that part pieces, however many.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7f || c == '&' {
			return false
		}
	}
	return true
}

// MayNeedRepair reports text outside ASCII, entities read: the reference repairs such text where it was read in a
// wrong encoding, and this package does not, so that its ids may differ.
func MayNeedRepair(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return true
		}
	}
	return strings.Contains(text, "&") && strings.ContainsFunc(fixText(text),
		func(r rune) bool { return r >= utf8.RuneSelf })
}
