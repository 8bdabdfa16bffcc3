package output

import (
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
)

// PluginLogName is the name of the file with the plugin's output, in the folder of a run's logs. It exists only if the
// plugin prints something.
const PluginLogName = "plugin.log"

// maxPrinted limits the file, so that a plugin that prints without end does not fill the disk.
const maxPrinted = 64 << 20

// PluginLog writes a plugin's output to a file. It creates the file at the first write. Calls of Write must not
// overlap.
type PluginLog struct {
	path string
	file *os.File
	left int64
	full bool // the file has reached its limit or is not writable
}

// NewPluginLog returns the log of the run in dir, below out. It replaces an earlier log.
func NewPluginLog(out, dir string) *PluginLog {
	return &PluginLog{path: filepath.Join(out, dir, PluginLogName), left: maxPrinted}
}

// Write never fails, because the plugin's output matters less than its run.
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

// Close closes the file. It must be called after the plugin's end.
func (l *PluginLog) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}
