package cli

import "strings"

// pageWidth is where long texts are broken.
const pageWidth = 110

func orDash(items []string) string {
	if len(items) == 0 {
		return "-"
	}
	return strings.Join(items, ", ")
}

func orNone(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
