package mllog

import (
	"errors"
	"fmt"
)

// ErrFormat is wrapped by every error about a log that is not in its format.
var ErrFormat = errors.New("not in the log's format")

// LineError reports an unreadable line of a detail, summary or trace log.
type LineError struct {
	Log  string // "detail log", "summary log", "trace log"
	Line int    // what was found and what was expected
	Text string // what was found, what was expected
}

func (e *LineError) Error() string { return fmt.Sprintf("%s, line %d: %s", e.Log, e.Line, e.Text) }

// Unwrap makes errors.Is(err, ErrFormat) hold.
func (e *LineError) Unwrap() error { return ErrFormat }

// maxShown is how many bytes of a log an error message quotes.
const maxShown = 60

// quoteText quotes text for an error message and shortens it if it is long.
func quoteText(text []byte) string {
	if len(text) > maxShown {
		return fmt.Sprintf("%q...", text[:maxShown])
	}
	return fmt.Sprintf("%q", text)
}
