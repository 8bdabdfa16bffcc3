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

// maxDescriptionBytes is the maximum size of a description. Those of real plugins have a few thousand bytes.
const maxDescriptionBytes = 8 << 20

// Inspect returns the description that a binary prints for the argument "describe". It needs no handshake, takes
// milliseconds and leaves no process. The binary inherits the environment variables of a plugin. Errors are of type
// *PluginError.
func Inspect(ctx context.Context, path string) (sdk.Description, error) {
	ctx, cancel := context.WithTimeout(ctx, defaultStartTimeout)
	defer cancel()
	path = absolutePath(path)
	p := &Plugin{name: pluginNameOf(path), path: path, output: &pluginOutput{}}
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

// runDescribe runs the binary with the argument "describe" and returns its standard output. Its error output goes to
// p.output.
func (p *Plugin) runDescribe(ctx context.Context) ([]byte, error) {
	stdout := limitedWriter{maxBytes: maxDescriptionBytes}
	errs, stderr := io.Pipe()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		p.output.drainReader(errs)
	}()
	cmd := exec.CommandContext(ctx, p.path, "describe")
	cmd.Env = append([]string{}, inheritedEnv(os.Environ(), nil)...) // nil would mean the whole environment
	cmd.Stdout, cmd.Stderr = &stdout, stderr
	cmd.SysProcAttr = ownGroup()
	cmd.Cancel = func() error { killGroup(cmd.Process.Pid); return nil }
	cmd.WaitDelay = endGrace
	err := runAlone(cmd)
	_ = stderr.Close() // closing a pipe cannot fail
	<-drained
	if stdout.err != nil { // it explains the end of the process
		err = stdout.err
	}
	return stdout.text.Bytes(), err
}

// runAlone runs a command and ends its remaining process group before the group's id can be reused.
func runAlone(cmd *exec.Cmd) error {
	runtime.LockOSThread() // this thread must live as long as the process: see pluginProcess.Start
	defer runtime.UnlockOSThread()
	osprocess.KeepOpenFiles()
	if err := cmd.Start(); err != nil {
		return err
	}
	awaitEnd(cmd.Process.Pid)
	killGroup(cmd.Process.Pid)
	return cmd.Wait()
}

// limitedWriter stores written bytes. A write that exceeds maxBytes in total fails, and so do all later writes.
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
