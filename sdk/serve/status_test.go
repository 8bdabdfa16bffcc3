package serve

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestTextsOfErrorsAreFitForAMessage(t *testing.T) {
	umlauts := strings.Repeat("ä", maxMessage)
	for name, c := range map[string]struct{ text, want string }{
		"plain":             {"no such file", "no such file"},
		"Latin-1":           {"Ger\xe4t fehlt", "Ger\uFFFDt fehlt"},
		"long":              {strings.Repeat("x", maxMessage+1), strings.Repeat("x", maxMessage) + " ..."},
		"a rune at the end": {"x" + umlauts, "x" + umlauts[:maxMessage-2] + " ..."},
		"just short enough": {umlauts[:maxMessage], umlauts[:maxMessage]},
	} {
		t.Run(name, func(t *testing.T) {
			got := status.Convert(toStatus(errors.New(c.text), codes.Unknown)).Message()
			if got != c.want || !utf8.ValidString(got) {
				t.Errorf("%d bytes, want %d: %.40q", len(got), len(c.want), got)
			}
		})
	}
}
