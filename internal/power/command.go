package power

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// meterCommand is a command line that prints watts, one number per line. It may print continuously, or print once and
// end; then it runs again for every interval.
type meterCommand struct{ line string }

func (c meterCommand) String() string { return "cmd " + c.line }

func (c meterCommand) check() error { return nil }

// read runs the command, and runs it again in each interval after it ended without an error.
func (c meterCommand) read(ctx context.Context, interval time.Duration, give func(watts float64)) error {
	runtime.LockOSThread() // the kernel ends the command when the thread that started it ends
	defer runtime.UnlockOSThread()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		if err := c.runOnce(ctx, give); err != nil || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// grace is the time between the signal to end and the kill of the command.
const grace = 2 * time.Second

// runOnce runs the command once. When ctx ends, it ends all processes of the command.
func (c meterCommand) runOnce(ctx context.Context, give func(watts float64)) error {
	cmd := shellCommand(c.line)
	var stderr tailBuffer
	cmd.Stderr, cmd.WaitDelay, cmd.SysProcAttr = &stderr, grace, ownGroup()
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	stopped := context.AfterFunc(ctx, func() {
		endGroup(cmd.Process)
		select {
		case <-ended:
		case <-time.After(grace):
			killGroup(cmd.Process)
		}
	})
	defer stopped()
	count, fault := readLines(bufio.NewScanner(out), give)
	if fault != nil {
		killGroup(cmd.Process)
	}
	failed := cmd.Wait()
	close(ended)
	killGroup(cmd.Process) // processes that the command left running
	switch {
	case ctx.Err() != nil:
		return nil
	case fault != nil:
		return fault
	case failed != nil:
		return fmt.Errorf("the command ended: %w%s", failed, stderr.lastText())
	case count == 0:
		return errors.New("the command ended well and printed nothing, want watts, a number a line" + stderr.lastText())
	}
	return nil
}

// readLines calls give for each line when it arrives.
func readLines(lines *bufio.Scanner, give func(watts float64)) (count int, err error) {
	for lines.Scan() {
		text := strings.TrimSpace(lines.Text())
		if text == "" {
			continue
		}
		count++
		watts, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(text, "W")), 64)
		if err != nil || math.IsNaN(watts) || math.IsInf(watts, 0) {
			return count, fmt.Errorf("the command printed %.60q on line %d, want watts, a number a line", text, count)
		}
		give(watts)
	}
	return count, lines.Err()
}

// shellCommand returns the command that runs a line in the system's shell.
func shellCommand(line string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		return exec.Command("cmd", "/C", line)
	}
	return exec.Command("sh", "-c", line)
}

// tailBuffer keeps the last bytes written to it.
type tailBuffer struct{ bytes []byte }

// maxTailBytes is the size of a tailBuffer, in bytes.
const maxTailBytes = 500

func (t *tailBuffer) Write(p []byte) (int, error) {
	t.bytes = append(t.bytes, p...)
	t.bytes = t.bytes[max(0, len(t.bytes)-maxTailBytes):]
	return len(p), nil
}

// lastText returns the kept text for an error message, or an empty text.
func (t *tailBuffer) lastText() string {
	text := bytes.TrimSpace(t.bytes)
	if len(text) == 0 {
		return ""
	}
	return fmt.Sprintf("; it said: %s", text)
}
