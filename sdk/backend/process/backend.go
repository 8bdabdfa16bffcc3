package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/backendpb"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

const defaultStartTimeout = 60 * time.Second

// maxLanes is the maximum concurrency of a process unless the user requests more. Each lane has a stream, and most
// lanes have memory.
const maxLanes = 4096

// Backend starts a process for each model that it opens. It is immutable.
type Backend struct {
	// Command is the shell command line to run if the option "command" is not set.
	Command string
	// Output receives the process's output as it arrives; nil: the standard error output.
	Output io.Writer
}

// Describe lists the client's options. Only the process knows its own options.
func (b Backend) Describe() backend.Info {
	s := b.defaultSettings()
	return backend.Info{Options: s.optionList().Docs()}
}

// CheckDevices accepts all devices, because only a device's process can check it.
func (Backend) CheckDevices([]string, map[string]string) error { return nil }

// processOptions contains the parsed Config.Options.
type processOptions struct {
	command   string
	start     time.Duration
	heartbeat time.Duration // how long the process may be stopped
	shared    bool
	own       map[string]string // options of the process
}

// defaultSettings returns the settings without any option.
func (b Backend) defaultSettings() processOptions {
	return processOptions{
		command: b.Command, start: defaultStartTimeout, heartbeat: defaultHeartbeatTimeout, shared: true,
		own: map[string]string{},
	}
}

// optionList lists the options and stores their values in s. The client's own options come first, and all others are
// passed to the process.
func (s *processOptions) optionList() option.List {
	return option.List{
		option.Text("command", &s.command,
			"one program with its arguments, quoted as for sh; env NAME=VALUE before it sets a variable").WithDefault(""),
		option.Duration("start_timeout", &s.start,
			"maximum time for the process's handshake (use --plugin-start-timeout for the plugin)"),
		option.Duration("heartbeat_timeout", &s.heartbeat,
			"treat the process as hung if a signal or a debugger stops it for longer"),
		option.Choice("shared_memory", &s.shared, map[string]bool{"auto": true, "off": false},
			"auto: tensors go through shared memory if the process supports it; off: through the stream"),
		option.OtherKeys("KEY", "any other option is passed to the process", func(key, value string) error {
			s.own[key] = value
			return nil
		}),
	}
}

func (b Backend) readOptions(given map[string]string) (processOptions, error) {
	s := b.defaultSettings()
	err := s.optionList().Read(given)
	if strings.TrimSpace(s.command) == "" {
		err = errors.Join(err, errors.New("option command is missing, want the command line of the backend process"))
	}
	if err != nil {
		return s, fmt.Errorf("%w: %w", backend.ErrOption, err)
	}
	return s, nil
}

// Open starts the process and loads m in it. Errors wrap backend.ErrOption, backend.ErrModel, backend.ErrTensors or
// fs.ErrNotExist, as with other backends. An error of the process includes its last lines of output.
func (b Backend) Open(ctx context.Context, m backend.Model, c backend.Config) (backend.Session, error) {
	set, err := b.readOptions(c.Options)
	if err != nil {
		return nil, err
	}
	if m.Path != "" {
		if _, err := os.Stat(m.Path); err != nil {
			return nil, fmt.Errorf("%w: %w", backend.ErrModel, err)
		}
	}
	to := b.Output
	if to == nil {
		to = os.Stderr
	}
	p, err := processToJoin(set, c)
	if p == nil && err == nil {
		p, err = launchChild(ctx, set, c.Device, to)
	}
	if err != nil {
		return nil, err
	}
	s, err := openSession(ctx, p, set, m, c)
	if err != nil {
		return nil, errors.Join(err, p.closeSession())
	}
	return s, nil
}

// openSession loads the model and binds its tensors.
func openSession(ctx context.Context, p *childProcess, set processOptions, m backend.Model,
	c backend.Config) (*processSession, error) {
	number := p.models.Add(1) - 1 // numbers count the models in the order of opening
	awaited := p.awaitAnswer(ctx, "Open")
	r, err := p.rpc.Open(ctx, &backendpb.OpenRequest{
		Name: m.Name, Path: m.Path, Model: m.Bytes, Concurrency: uint32(max(c.Concurrency, 0)),
		LowLatency: c.LowLatency, MaxBatch: uint32(max(c.MaxBatch, 0)), Options: set.own, Device: c.Device,
		ModelNumber: number, Part: c.Part,
	})
	awaited.End()
	if err != nil {
		return nil, p.explainError("open the model", err)
	}
	if c.Device != "" && !slices.Contains(r.Capabilities, deviceChoice) {
		return nil, fmt.Errorf("%w: device %s: the backend process knows no devices (its answer to Open lacks the "+
			"capability %q); tell it by an option of its own where to run",
			backend.ErrOption, c.Device, deviceChoice)
	}
	if c.Concurrency <= 0 && r.Concurrency == 0 { // neither side gives a number
		r.Concurrency = 1
	}
	if most := max(c.Concurrency, maxLanes); int64(r.Concurrency) > int64(most) {
		return nil, fmt.Errorf("%w: the backend process says that it takes %d batches at a time, want at most %d",
			backend.ErrFailed, r.Concurrency, most)
	}
	s := &processSession{
		child: p, options: set, number: number, response: r, named: slices.Contains(r.Capabilities, requestIDs),
		shared: set.shared && slices.Contains(r.Capabilities, sharedMemory),
	}
	if s.inputs, err = bindTensors("input", m.Inputs, r.Inputs); err != nil {
		return nil, err
	}
	if s.outputs, err = bindTensors("output", m.Outputs, r.Outputs); err != nil {
		return nil, err
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.lanes = make(chan *clientLane, cmp.Or(max(c.Concurrency, 0), int(r.Concurrency)))
	for range cap(s.lanes) {
		s.lanes <- newLane(s, s.lanes)
	}
	return s, nil
}

// bindTensors finds the wanted tensors among the model's.
func bindTensors(kind string, want []backend.TensorInfo, have []*backendpb.TensorInfo) ([]backend.TensorInfo, error) {
	infos := make([]backend.TensorInfo, len(have))
	for i, h := range have {
		infos[i] = backend.TensorInfo{Name: h.Name, DType: backend.DType(h.Dtype), Shape: h.Shape}
		if infos[i].DType.Size() == 0 {
			return nil, fmt.Errorf("%w: the backend process says that %s %q has the dtype %v", backend.ErrTensors,
				kind, h.Name, h.Dtype)
		}
	}
	index, err := backend.Bind(kind, want, infos)
	if err != nil {
		return nil, err
	}
	bound := make([]backend.TensorInfo, len(index))
	for i, j := range index {
		bound[i] = infos[j]
	}
	return bound, nil
}

// explainError converts the error of a call to a readable error that wraps its class.
func (p *childProcess) explainError(what string, err error) error {
	if frozen := p.frozen.Load(); frozen != nil {
		return *frozen
	}
	s, _ := status.FromError(err)
	switch s.Code() {
	case codes.InvalidArgument:
		return fmt.Errorf("%w: %s", backend.ErrOption, s.Message())
	case codes.FailedPrecondition, codes.NotFound:
		return fmt.Errorf("%w: %s", backend.ErrModel, s.Message())
	case codes.Canceled, codes.DeadlineExceeded:
		return fmt.Errorf("%s: %w", what, err)
	case codes.Unavailable:
		return p.endedError(what, err)
	case codes.Unimplemented:
		return fmt.Errorf("the backend process does not speak this protocol: %s (want plumbline.backend.v1.Backend of "+
			"backend.proto)", s.Message())
	}
	return fmt.Errorf("the backend process failed to %s: %s%s", what, s.Message(), p.output.outputTail())
}
