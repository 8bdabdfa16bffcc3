package sdk

import (
	"errors"
	"fmt"
	"strings"
)

// The limits of exhibits: their number in a score, and the size of a text or a picture in bytes.
const (
	MaxExhibits     = 24
	MaxExhibitBytes = 40_000
)

// Exhibit is a sample with its answer, for people to look at: a text, a picture, or both.
type Exhibit struct {
	Caption string // one line: the sample and how well it was answered
	Text    string
	PNG     []byte
}

// pngHead is the beginning of every PNG file.
const pngHead = "\x89PNG\r\n\x1a\n"

// Check returns an error if an exhibit is too large, is empty, or has a picture that is not a PNG.
func (e Exhibit) Check() error {
	switch {
	case len(e.Text) > MaxExhibitBytes, len(e.PNG) > MaxExhibitBytes:
		return fmt.Errorf("a text of %d bytes and a picture of %d, want at most %d of each", len(e.Text), len(e.PNG),
			MaxExhibitBytes)
	case e.Text == "" && len(e.PNG) == 0:
		return errors.New("neither a text nor a picture")
	case len(e.PNG) > 0 && !strings.HasPrefix(string(e.PNG[:min(len(e.PNG), len(pngHead))]), pngHead):
		return errors.New("the picture is no PNG")
	}
	return nil
}
