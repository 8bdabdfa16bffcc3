package host

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
)

const (
	tailLines = 20      // lines of output kept for an error message
	lineBytes = 4 << 10 // of each line
)

// pluginOutput takes what a plugin prints: it passes it on as it comes and keeps the last lines.
type pluginOutput struct {
	mu    sync.Mutex
	to    io.Writer                // may be nil
	hide  func(text string) string // may be nil: see LaunchOptions.Hide
	lines []string                 // the last tailLines, oldest first
	death []string                 // the lines that a Go program's dump began with, deathLines at most
	since int                      // lines that came from its first one on
	bytes uint64                   // that came
}

// drainReader reads r to its end, whatever the length of its lines.
func (o *pluginOutput) drainReader(r io.Reader) {
	lines := bufio.NewReaderSize(r, lineBytes)
	continued := false
	for {
		line, err := lines.ReadSlice('\n')
		if len(line) > 0 {
			o.addText(line, continued)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
		continued = errors.Is(err, bufio.ErrBufferFull)
	}
}

// addText passes text on and keeps it as a line, unless it continues a line that is long enough already.
func (o *pluginOutput) addText(text []byte, continued bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.bytes += uint64(len(text))
	if o.hide != nil {
		text = []byte(o.hide(string(text)))
	}
	if o.to != nil {
		if _, err := o.to.Write(text); err != nil {
			o.to = nil // a broken terminal must not stop the plugin
		}
	}
	if continued {
		return
	}
	if len(o.lines) == tailLines {
		o.lines = append(o.lines[:0], o.lines[1:]...)
	}
	line := trimLine(text)
	o.lines = append(o.lines, line)
	o.keepDeath(line)
}

// passOn passes on a text that the plugin did not print itself.
func (o *pluginOutput) passOn(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.to != nil {
		_, _ = o.to.Write([]byte(text)) // as in add
	}
}

// deathLines of a dump say why a Go program died, and where. What follows, the other goroutines, can be long.
const deathLines = 8

func (o *pluginOutput) keepDeath(line string) {
	switch {
	case strings.HasPrefix(line, "panic: "), strings.HasPrefix(line, "fatal error: "):
		o.death, o.since = []string{line}, 1
	case len(o.death) > 0:
		o.since++
		if len(o.death) < deathLines {
			o.death = append(o.death, line)
		}
	}
}

// trimLine makes a line fit for a message.
func trimLine(text []byte) string {
	n := len(text)
	for n > 0 && (text[n-1] == '\n' || text[n-1] == '\r') {
		n--
	}
	return string(text[:n])
}

func (o *pluginOutput) byteCount() uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.bytes
}

// lastLines returns the last lines. Where a Go program's dump began before them its first lines are in the place of
// some.
func (o *pluginOutput) lastLines() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.since > len(o.lines) {
		return slices.Concat(o.death, []string{"..."}, o.lines[len(o.death)+1:])
	}
	return append([]string(nil), o.lines...)
}

// repeatsLines reports whether a text holds every one of the lines, as the error of a plugin does that quotes what a
// process of its own has printed through it.
func repeatsLines(text string, lines []string) bool {
	for _, line := range lines {
		if !strings.Contains(text, strings.TrimSpace(line)) {
			return false
		}
	}
	return len(lines) > 0
}
