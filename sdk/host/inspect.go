package host

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"

	"google.golang.org/protobuf/encoding/protojson"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/internal/convert"
	"github.com/plumbline-ml/plumbline/sdk/internal/osprocess"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
)

// maxDescriptionBytes is how many bytes a description may have. Those of real plugins have a few thousand.
const maxDescriptionBytes = 8 << 20

// Inspect returns the description that a binary prints for the argument "describe". There is no handshake; the call
// takes milliseconds and leaves no process. The binary inherits the environment variables of a plugin. Errors are
// *Error.
func Inspect(ctx context.Context, path string) (sdk.Description, error) {
	ctx, cancel := context.WithTimeout(ctx, defaultStartTimeout)
	defer cancel()
	path = absolutePath(path)
	p := &Plugin{name: nameOf(path), path: path, output: &pluginOutput{}}
	text, err := p.runDescribe(ctx)
	if err != nil {
		return sdk.Description{}, p.newFailure(KindStart, err, "it does not describe itself: "+err.Error(), execHint(path,
			err))
	}
	var r pluginpb.DescribeResponse
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(text, &r); err != nil {
		return sdk.Description{}, p.newFailure(KindHandshake, err,
			fmt.Sprintf("what it prints when asked to describe itself "+
				"is no description: %v", err), rebuildHint)
	}
	return convert.To[sdk.Description](r.GetDescription()).WithRoles(), nil
}

// runDescribe runs the binary with the argument "describe" and returns what it prints to its standard output. The rest
// goes to p.output.
func (p *Plugin) runDescribe(ctx context.Context) ([]byte, error) {
	stdout := limitedWriter{maxBytes: maxDescriptionBytes}
	errs, stderr := io.Pipe()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		p.output.drainReader(errs)
	}()
	cmd := exec.CommandContext(ctx, p.path, "describe")
	cmd.Env = append([]string{}, inheritedEnv(os.Environ(), nil)...) // not nil, which would be all
	cmd.Stdout, cmd.Stderr = &stdout, stderr
	cmd.SysProcAttr = ownGroup()
	cmd.Cancel = func() error { killGroup(cmd.Process.Pid); return nil }
	cmd.WaitDelay = endGrace
	err := runAlone(cmd)
	_ = stderr.Close() // a pipe's never fails
	<-drained
	if stdout.err != nil { // it explains how the process ended
		err = stdout.err
	}
	return stdout.text.Bytes(), err
}

// runAlone runs a command, and ends what is left of its process group while the group's id is still its own.
func runAlone(cmd *exec.Cmd) error {
	runtime.LockOSThread() // it is the parent whose end the kernel reports: see pluginProcess.Start
	defer runtime.UnlockOSThread()
	osprocess.KeepOpenFiles()
	if err := cmd.Start(); err != nil {
		return err
	}
	awaitEnd(cmd.Process.Pid)
	killGroup(cmd.Process.Pid)
	return cmd.Wait()
}

// limitedWriter is a writer that keeps what is written to it, and fails from the write on that makes it more than
// maxBytes bytes.
type limitedWriter struct {
	text     bytes.Buffer
	maxBytes int
	err      error
}

func (b *limitedWriter) Write(p []byte) (int, error) {
	if b.err == nil && b.text.Len()+len(p) > b.maxBytes {
		b.err = fmt.Errorf("it prints more than %d bytes", b.maxBytes)
	}
	if b.err != nil {
		return 0, b.err
	}
	return b.text.Write(p)
}
