package clip

import (
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// cleanGenerator cleans text between special tokens like transformers' tokenizer.
func cleanGenerator(text string) string {
	if needsNoCleaning(text) {
		return strings.ToLower(text)
	}
	return pystr.Lower(strings.Join(pystr.Fields(fixText(text)), " "))
}

// cleanScorer cleans text like open_clip's tokenizer.
func cleanScorer(text string) string {
	if needsNoCleaning(text) {
		return strings.ToLower(text)
	}
	text = unescapeEntities(unescapeEntities(fixText(text)))
	return pystr.Lower(strings.Join(pystr.Fields(text), " "))
}

// needsNoCleaning reports whether cleaning changes only capitals and runs of blanks.
func needsNoCleaning(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7f || c == '&' {
			return false
		}
	}
	return true
}

// MayNeedRepair reports whether a text contains characters outside ASCII after its entities are decoded. The reference
// repairs such a text if it was read in a wrong encoding. This package does not, so its IDs may differ.
func MayNeedRepair(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return true
		}
	}
	return strings.Contains(text, "&") && strings.ContainsFunc(fixText(text),
		func(r rune) bool { return r >= utf8.RuneSelf })
}
