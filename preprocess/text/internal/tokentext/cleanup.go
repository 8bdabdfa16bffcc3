package tokentext

import "strings"

// CleanEnglish removes the blanks that tokenizers of words leave before signs and contractions of English, as
// transformers does by the setting clean_up_tokenization_spaces.
func CleanEnglish(text string) string {
	for _, sign := range []string{".", "?", "!", ","} {
		text = strings.ReplaceAll(text, " "+sign, sign)
	}
	text = strings.ReplaceAll(text, " ' ", "'")
	for _, contraction := range []string{"n't", "'m", "'s", "'ve", "'re"} {
		text = strings.ReplaceAll(text, " "+contraction, contraction)
	}
	return text
}
