// Command faultyplugin is a plugin with the fault that the environment variable PLUMBLINE_FAULT names. It is for the
// tests of the harness's half. Without a fault it serves the null benchmark under the name "faulty". With the argument
// "backend" it is a backend process; the next argument may name a fault of the backend.
//
// If PLUMBLINE_WITNESS names a file, the plugin writes the index of each sample to it (a little-endian uint32) before
// it answers. An accuracy log must contain these samples even after a kill.
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/backend/process"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
	"github.com/plumbline-ml/plumbline/sdk/sdktest/null"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

// faultEnv is the variable that names the fault.
const faultEnv = "PLUMBLINE_FAULT"

// startFaults contains the faults before the handshake.
var startFaults = map[string]func(){
	"exit": func() {
		fmt.Fprintln(os.Stderr, "cannot start: the fault asked for it")
		os.Exit(3)
	},
	"print-before-handshake": func() { fmt.Println("Hello from a C library") },
	"print-half-a-line":      func() { fmt.Print("Loading ... ") },
	"print-binary":           func() { fmt.Print("\x7fELF\x00\x01\x02\n") },
	"print-long":             func() { fmt.Println(strings.Repeat("x", 1<<20)) },
	"silent-start":           func() { time.Sleep(time.Hour) },
	"old-version":            func() { handshakeOf(wire.CoreProtocol, 0) },
	"new-version":            func() { handshakeOf(wire.CoreProtocol, wire.Protocol+1) },
	"new-core":               func() { handshakeOf(wire.CoreProtocol+1, wire.Protocol) },
	"nobody-listens":         func() { handshakeOf(wire.CoreProtocol, wire.Protocol) },
	"tcp":                    func() { serveFrames("tcp", "127.0.0.1:0", nil) },
	"stream-oversized":       func() { serveFrames("unix", socketAddress(), []byte{0, 0xff, 0xff, 0xff, 0xff, 1, 2, 3}) },
	"stream-cut":             func() { serveFrames("unix", socketAddress(), []byte{0, 0, 0, 0, 100, 1, 2, 3}) },
	"stream-garbage":         func() { serveFrames("unix", socketAddress(), []byte{0, 0, 0, 0, 3, 0xff, 0xff, 0xff}) },
}

// handshakeOf prints a handshake and then does not answer.
func handshakeOf(core, protocol int) {
	fmt.Printf("%d|%d|unix|%s/plugin-none|grpc|\n", core, protocol, os.Getenv(wire.SocketDirEnv))
	time.Sleep(time.Hour)
}

func main() {
	if len(os.Args) >= 2 && os.Args[1] == backendArg {
		if err := serveBackend(strings.Join(os.Args[2:], " ")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	fault := os.Getenv(faultEnv)
	if os.Getenv(wire.CookieKey) != wire.CookieValue {
		fault = "" // started by the user, or only to describe itself
	}
	if start, ok := startFaults[fault]; ok {
		start()
	} else if speak, ok := wireFaults[fault]; ok {
		r := &rawPlugin{changeAnswer: speak, tokens: strings.HasPrefix(fault, "tokens-")}
		if fault == idleProcess {
			r.work = idleWork()
		}
		serveRaw(r)
		return
	} else if b, ok := heartbeatFaults[fault]; ok {
		serveRaw(&rawPlugin{changeAnswer: wireFaults["none-raw"], changeBeat: b})
		return
	} else if call, ok := strings.CutPrefix(fault, lostCallPrefix); ok && slices.Contains(losableCalls, call) {
		none := uint32(0)
		serveRaw(&rawPlugin{changeAnswer: wireFaults["none-raw"], lostCall: call, work: &pluginpb.Work{Calls: &none}})
		return
	} else if o, ok := openFaults[fault]; ok {
		serveRaw(&rawPlugin{changeAnswer: wireFaults["none-raw"], changeInfo: o})
		return
	} else if deed, ok := ringFaults[fault]; ok {
		serveRaw(&rawPlugin{changeAnswer: wireFaults["none-raw"], misuse: deed})
		return
	} else if !isWork(fault) {
		fmt.Fprintf(os.Stderr, "unknown fault %q, want one of %s\n", fault, strings.Join(faultNames(), ", "))
		os.Exit(2)
	}
	serve.Main(faultyBenchmark{fault: benchmarkFaults[fault], warms: fault == "hang-warm-up"}, serve.Backend("null",
		usualBackend(fault)),
		serve.Backend("process", process.Backend{}))
}

// isWork reports whether a fault is empty or concerns the benchmark's code or its backend.
func isWork(fault string) bool {
	_, works := benchmarkFaults[fault]
	_, hangs := backendHangs[fault]
	return works || hangs || fault == ""
}

// usualBackend returns the null backend, which hangs if the fault says so.
func usualBackend(fault string) backend.Backend {
	if at, ok := backendHangs[fault]; ok {
		return hangingBackend{Backend: null.Backend{}, at: at}
	}
	return null.Backend{}
}

func faultNames() []string {
	return slices.Sorted(func(yield func(string) bool) {
		for _, names := range []func(func(string) bool){
			keys(startFaults), keys(wireFaults), keys(ringFaults), keys(benchmarkFaults), keys(backendHangs),
			keys(heartbeatFaults), keys(openFaults),
		} {
			names(yield)
		}
		for _, call := range losableCalls {
			_ = yield(lostCallPrefix + call)
		}
	})
}

func keys[V any](m map[string]V) func(func(string) bool) { return maps.Keys(m) }
