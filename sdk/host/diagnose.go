package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

const rebuildHint = "rebuild the plugin and the harness from the same release"

// diagnoseStart explains from a plugin's output and exit why it did not start.
func (p *Plugin) diagnoseStart(err error) error {
	if !p.process.wasStarted() {
		return p.newFailure(KindStart, err, "it cannot be started: "+err.Error(), execHint(p.path, err))
	}
	line, printed := p.process.firstLine()
	switch {
	case printed && !looksLikeHandshake(line):
		return p.newFailure(KindHandshake, err, fmt.Sprintf("its first line of output is %q, not the handshake",
			shortenText(line)),
			"nothing may be printed before serve.Main is called, and the binary must be a plugin")
	case printed:
		return p.diagnoseVersion(line, err)
	}
	return p.diagnoseEnd(err)
}

// diagnoseVersion explains a handshake that go-plugin refused.
func (p *Plugin) diagnoseVersion(line string, err error) error {
	parts := strings.Split(line, "|")
	if parts[0] != strconv.Itoa(wire.CoreProtocol) {
		return p.newFailure(KindVersion, err, fmt.Sprintf("it speaks version %q of go-plugin's core protocol, this harness "+
			"speaks %d", parts[0], wire.CoreProtocol), rebuildHint)
	}
	if parts[1] != strconv.Itoa(wire.Protocol) {
		return p.newFailure(KindVersion, err,
			fmt.Sprintf("it speaks version %s of the plugin protocol, this harness speaks %d",
				parts[1], wire.Protocol), rebuildHint)
	}
	return p.newFailure(KindHandshake, err, fmt.Sprintf("its handshake %q cannot be used: %v", shortenText(line), err),
		rebuildHint)
}

// diagnoseEnd explains a process that printed no handshake.
func (p *Plugin) diagnoseEnd(err error) error {
	select {
	case <-p.process.exited:
		how := p.process.exitText()
		return p.newFailure(KindStart, err, "the process "+how+" before the handshake", deathHint(how, p.output.lastLines()))
	default:
		return p.startTimeout()
	}
}

// startTimeout explains a plugin that did not start in time.
func (p *Plugin) startTimeout() *PluginError {
	if line, _ := p.process.firstLine(); looksLikeHandshake(line) {
		return p.newFailure(KindHandshake, context.DeadlineExceeded,
			fmt.Sprintf("it shook hands and does not answer within %v of its start: no heartbeat came over the call Run, "+
				"whose first answer is one", p.options.StartTimeout),
			rebuildHint)
	}
	return p.newFailure(KindStart, context.DeadlineExceeded, fmt.Sprintf("no handshake within %v of its start",
		p.options.StartTimeout),
		"does the file wait for input, or is the machine overloaded? --plugin-start-timeout waits longer")
}

// checkAddress refuses a plugin that listens at an address to which others could connect.
func (p *Plugin) checkAddress() error {
	line, _ := p.process.firstLine()
	parts := strings.Split(line, "|")
	if len(parts) > 2 && parts[2] != "unix" && !p.options.TLS && runtime.GOOS != "windows" {
		return p.newFailure(KindHandshake, nil, fmt.Sprintf("it listens on %q without TLS, want a unix socket", parts[2]),
			"listen in the folder that the environment variable "+wire.SocketDirEnv+" names")
	}
	return nil
}

// execHint explains why the kernel may not have executed the file at path.
func execHint(path string, err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if needs := programInterpreter(path); needs != "" {
			return fmt.Sprintf("it needs the program %s, which does not exist here: install it, or rebuild the plugin", needs)
		}
		return "the file does not exist"
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Sprintf("it is not a program for %s/%s%s: install or build the one for this machine", runtime.GOOS,
			runtime.GOARCH, programTarget(path))
	case errors.Is(err, fs.ErrPermission):
		return "make the file executable, and check that its file system is not mounted noexec"
	}
	return ""
}

// deathHint returns a possible reason for the end of a process.
func deathHint(how string, tail []string) string {
	text := strings.Join(tail, "\n")
	switch {
	case strings.Contains(how, "signal 9"):
		return "if nobody killed it, the kernel may have run out of memory: see dmesg"
	case strings.Contains(text, "error while loading shared libraries"):
		return "a shared library is missing: install it, or set LD_LIBRARY_PATH"
	case strings.Contains(text, "GLIBC_"):
		return "it was built for a newer system: rebuild it here"
	}
	return "see its output"
}

// maxQuoted is the maximum number of bytes of a first line in a message.
const maxQuoted = 200

// shortenText shortens text for a message.
func shortenText(text string) string { return cutText(text, maxQuoted) }

// cutText cuts text after a number of bytes, between two characters.
func cutText(text string, maxBytes int) string {
	if len(text) <= maxBytes {
		return text
	}
	return strings.ToValidUTF8(text[:maxBytes], "") + "..."
}
