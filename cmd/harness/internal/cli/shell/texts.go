package shell

import "strings"

// PageWidth is where long texts are broken.
const PageWidth = 110

// OrDash lists items, or is a dash where there are none.
func OrDash(items []string) string {
	if len(items) == 0 {
		return "-"
	}
	return strings.Join(items, ", ")
}

// OrNone is a text, or a dash where there is none.
func OrNone(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
