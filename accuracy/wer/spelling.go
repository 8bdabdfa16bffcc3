package wer

import (
	_ "embed" // the spellings
	"encoding/json"
	"strings"
	"sync"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// spellingsFile contains the American spellings of British words: english.json of openai-whisper (english.LICENSE).
//
//go:embed english.json
var spellingsFile []byte

var spellings = sync.OnceValue(func() map[string]string {
	var words map[string]string
	if err := json.Unmarshal(spellingsFile, &words); err != nil {
		panic("wer: english.json: " + err.Error())
	}
	return words
})

// americanSpelling replaces British by American spellings and writes one blank between words.
func americanSpelling(text string) string {
	words := pystr.Fields(text)
	for i, w := range words {
		if american, ok := spellings()[w]; ok {
			words[i] = american
		}
	}
	return strings.Join(words, " ")
}
