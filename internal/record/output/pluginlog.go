package output

import (
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
)

// PluginLogName is the file beside a run's logs with what the plugin printed. A plugin that prints nothing leaves none.
const PluginLogName = "plugin.log"

// maxPrinted bounds the file: a plugin that prints without end must not fill the disk.
const maxPrinted = 64 << 20

// PluginLog writes what a plugin prints to a file, which the first line makes. Writes must not overlap.
type PluginLog struct {
	path string
	file *os.File
	left int64
	full bool // or the file cannot be written
}

// NewPluginLog returns the log of the run in dir, below out. It takes the place of an earlier one.
func NewPluginLog(out, dir string) *PluginLog {
	return &PluginLog{path: filepath.Join(out, dir, PluginLogName), left: maxPrinted}
}

// Write never fails: what a plugin prints is worth less than its run.
func (l *PluginLog) Write(p []byte) (int, error) {
	if l.full || !l.open() {
		return len(p), nil
	}
	text := p
	if l.full = int64(len(p)) > l.left; l.full {
		text = []byte("\n... it prints more than is kept\n")
	}
	n, err := l.file.Write(text)
	l.left -= int64(n)
	l.full = l.full || err != nil
	return len(p), nil
}

func (l *PluginLog) open() bool {
	if l.file != nil {
		return true
	}
	file, err := wholefile.Create(l.path, 0o644)
	l.file, l.full = file, err != nil
	return err == nil
}

// Close closes the file. The plugin must have ended.
func (l *PluginLog) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}
