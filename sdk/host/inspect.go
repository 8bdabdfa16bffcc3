package host

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"runtime"

	"google.golang.org/protobuf/encoding/protojson"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/internal/fromproto"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
)

// Inspect asks a binary to describe itself, by its argument "describe", without a handshake: it answers in milliseconds
// and leaves no process. Errors are *Error.
func Inspect(ctx context.Context, path string) (sdk.Description, error) {
	ctx, cancel := context.WithTimeout(ctx, defaultStartTimeout)
	defer cancel()
	path = absolute(path)
	out := &output{}
	p := &Plugin{name: nameOf(path), path: path, output: out}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, path, "describe")
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = ownGroup()
	cmd.Cancel = func() error { killGroup(cmd.Process.Pid); return nil }
	cmd.WaitDelay = endGrace
	runtime.LockOSThread() // it is the parent whose end the kernel reports: see process.Start
	err := cmd.Run()
	runtime.UnlockOSThread()
	out.drain(&stderr)
	if err != nil {
		return sdk.Description{}, p.failure(KindStart, err, "it does not describe itself: "+err.Error(), execHint(path, err))
	}
	var r pluginpb.DescribeResponse
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(stdout.Bytes(), &r); err != nil {
		return sdk.Description{}, p.failure(KindHandshake, err, fmt.Sprintf("what it prints when asked to describe itself is no description: %v", err), rebuildHint)
	}
	return fromproto.Description(r.GetDescription()), nil
}
