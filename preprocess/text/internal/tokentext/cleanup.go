package tokentext

import "strings"

// CleanEnglish removes the blanks that word tokenizers insert before punctuation and English contractions, like
// transformers' setting clean_up_tokenization_spaces.
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
