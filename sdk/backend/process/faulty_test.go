package process

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/backendpb"
)

// serveFaulty is the main function of the backend processes of the tests.
func serveFaulty(fault string) error {
	if path, ok := strings.CutPrefix(fault, heldFault); ok {
		return Serve(held{gate: path})
	}
	switch fault {
	case "none":
		return Serve(doubler{})
	case "busy devices":
		return Serve(devices{})
	case "devices":
		return Serve(choosing{})
	case "reader":
		return Serve(reader{})
	case "usage":
		fmt.Println("usage: acme MODEL")
		os.Exit(2)
	case "exit in a line":
		fmt.Print("no licence")
		os.Exit(3)
	case "exit":
		return fmt.Errorf("no such device: acme0")
	case "silent":
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	case "chatty":
		fmt.Println("loading the runtime ...")
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	case "newer":
		fmt.Println("1|2|unix|/tmp/none|grpc")
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	case "tcp":
		fmt.Println("1|1|tcp|127.0.0.1:1|grpc")
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	case "noise":
		go fmt.Fprintln(os.Stderr, strings.Repeat("x", 1<<20))
		return Serve(doubler{})
	case "other service":
		return serveRaw(nil, false)
	}
	return serveRaw(&faulty{backendService: newService(doubler{}, func() {}), fault: fault}, fault == "never ends")
}

// deafFor limits the life of a process that does not end by itself, in case its test has ended.
const deafFor = time.Minute

// serveRaw serves without the safety measures of Serve. A deaf process continues after the end of its input.
func serveRaw(s backendpb.BackendServer, deaf bool) error {
	listener, err := net.Listen("unix", filepath.Join(os.Getenv(plugin.EnvUnixSocketDir), "backend"))
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	if s != nil {
		backendpb.RegisterBackendServer(server, s)
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		if deaf {
			time.Sleep(deafFor)
		}
		os.Exit(0)
	}()
	fmt.Printf("1|1|unix|%s|grpc\n", listener.Addr())
	return server.Serve(listener)
}

// faulty is a service that returns faulty answers.
type faulty struct {
	*backendService
	fault string
}

func (f *faulty) Open(ctx context.Context, r *backendpb.OpenRequest) (*backendpb.OpenResponse, error) {
	if f.fault == "crash at open" {
		panic("out of device memory")
	}
	o, err := f.backendService.Open(ctx, r)
	switch {
	case f.fault == "no dtype" && err == nil:
		o.Inputs[0].Dtype = backendpb.DType_DTYPE_UNSPECIFIED
	case f.fault == "too many at a time" && err == nil:
		o.Concurrency = 1 << 31
	case f.fault == "a bomb at open" && err == nil:
		o.Devices = make([]string, 16<<20)
	case f.fault == "stream only" && err == nil:
		o.Capabilities = []string{requestIDs}
	case f.fault == "one model" && err == nil:
		o.Capabilities = []string{sharedMemory, requestIDs}
	case f.nameless() && err == nil:
		o.Capabilities = []string{sharedMemory}
	}
	return o, err
}

func (f *faulty) Run(stream backendpb.Backend_RunServer) error {
	return f.backendService.Run(&spoiled{Backend_RunServer: stream, faulty: f})
}

// nameless reports whether the process has the older form, whose answers do not name their requests.
func (f *faulty) nameless() bool { return strings.HasPrefix(f.fault, "nameless") }

func (f *faulty) Close(context.Context, *backendpb.CloseRequest) (*backendpb.CloseResponse, error) {
	if f.fault != "never ends" {
		time.AfterFunc(answerGrace, func() { os.Exit(0) })
	}
	return &backendpb.CloseResponse{}, nil
}

// spoiled is a stream that returns faulty answers to batches.
type spoiled struct {
	backendpb.Backend_RunServer
	*faulty
	last *backendpb.RunResponse // to a batch
}

func (s *spoiled) Recv() (*backendpb.RunRequest, error) {
	r, err := s.Backend_RunServer.Recv()
	if err == nil && s.fault == "cannot map" && r.Attach.GetRegion() != nil {
		r.Attach.Region.Path = "/proc/self/no/such/file"
	}
	if err == nil && s.fault == "outputs in messages" {
		r.OutputOffset = 0
	}
	if err == nil && s.fault == "answers again later" && s.last != nil {
		_ = s.Backend_RunServer.Send(s.last)
	}
	return r, err
}

func (s *spoiled) Send(r *backendpb.RunResponse) error {
	if s.nameless() || s.fault == "attaches namelessly" {
		r.Request = 0
	}
	if len(r.Outputs) > 0 {
		s.spoil(r)
		s.last = r
	}
	if len(r.Outputs) > 0 && strings.HasSuffix(s.fault, "answers twice") {
		_ = s.Backend_RunServer.Send(r)
	}
	return s.Backend_RunServer.Send(r)
}

func (s *spoiled) spoil(r *backendpb.RunResponse) {
	t := r.Outputs[0]
	switch s.fault {
	case "keeps without a handle":
		t.Kept = nil
	case "keeps another shape":
		t.Shape = []int64{1, width + 1}
	case "crash at run":
		panic("segmentation fault of a driver")
	case "killed at run":
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Kill()
		}
		select {} // until the signal arrives
	case "answers the next":
		r.Request++
	case "answers namelessly":
		r.Request = 0
	case "too few outputs":
		r.Outputs = r.Outputs[1:]
	case "wrong shape":
		t.Shape = []int64{1, width + 1}
	case "a shape without end":
		t.Shape = slices.Repeat([]int64{1}, 1<<20)
	case "a bomb":
		t.Shape = make([]int64, 32<<20)
	case "wrong dtype":
		t.Dtype = backendpb.DType(backend.Int32)
	case "short data":
		t.Size -= 4
	case "outside the region":
		t.Offset = 1 << 40
	case "offset overflows":
		t.Offset = 1<<64 - 8
	}
}
