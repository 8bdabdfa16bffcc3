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
	tailLines = 20      // number of output lines kept for an error message
	lineBytes = 4 << 10 // maximum length of each line
)

// pluginOutput receives the output of a plugin. It passes the output on and keeps the last lines.
type pluginOutput struct {
	mu        sync.Mutex
	to        io.Writer                // may be nil
	hide      func(text string) string // may be nil: see LaunchOptions.Hide
	lines     []string                 // the last tailLines, oldest first
	dump      []string                 // the first lines of a Go program's dump, up to maxDumpLines
	dumpLines int                      // number of lines since the beginning of the dump
	bytes     uint64                   // number of received bytes
}

// drainReader reads r to its end. Lines may have any length.
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

// addText passes text on and keeps it as a line, unless it continues a line that is already long enough.
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
	o.keepDump(line)
}

// forwardText passes on a text that the plugin did not print itself.
func (o *pluginOutput) forwardText(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.to != nil {
		_, _ = o.to.Write([]byte(text)) // like in addText
	}
}

// maxDumpLines is the number of lines of a dump that show why and where a Go program died. The following lines, about
// other goroutines, can be long.
const maxDumpLines = 8

func (o *pluginOutput) keepDump(line string) {
	switch {
	case strings.HasPrefix(line, "panic: "), strings.HasPrefix(line, "fatal error: "):
		o.dump, o.dumpLines = []string{line}, 1
	case len(o.dump) > 0:
		o.dumpLines++
		if len(o.dump) < maxDumpLines {
			o.dump = append(o.dump, line)
		}
	}
}

// trimLine prepares a line for a message.
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

// lastLines returns the last lines. If a Go program's dump began before them, its first lines replace some of them.
func (o *pluginOutput) lastLines() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.dumpLines > len(o.lines) {
		return slices.Concat(o.dump, []string{"..."}, o.lines[len(o.dump)+1:])
	}
	return append([]string(nil), o.lines...)
}

// repeatsLines reports whether a text contains every one of the lines. A plugin's error does if it quotes the output of
// the plugin's own child process.
func repeatsLines(text string, lines []string) bool {
	for _, line := range lines {
		if !strings.Contains(text, strings.TrimSpace(line)) {
			return false
		}
	}
	return len(lines) > 0
}
