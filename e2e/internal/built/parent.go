package built

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// goTest identifies the go test that started this process, by its process id and start: all packages of one go test use
// one build. It is "" if another program started this one, and without /proc.
func goTest() string {
	proc := filepath.Join("/proc", fmt.Sprint(os.Getppid()))
	program, err := os.Readlink(filepath.Join(proc, "exe"))
	if err != nil || filepath.Base(program) != "go" {
		return ""
	}
	line, err := os.ReadFile(filepath.Join(proc, "cmdline"))
	if err != nil || !bytes.Contains(line, []byte("\x00test\x00")) {
		return ""
	}
	stat, err := os.ReadFile(filepath.Join(proc, "stat"))
	if err != nil {
		return ""
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(after)
	if len(fields) < 20 {
		return ""
	}
	return fmt.Sprintf("run-%d-%s", os.Getppid(), fields[19]) // field 22 of proc(5): the start time
}
