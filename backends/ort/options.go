package ort

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	onnxruntime "github.com/yalue/onnxruntime_go"
)

// Prefixes of the options that go through to ONNX Runtime as they are.
const (
	configPrefix   = "config."
	providerPrefix = "provider."
)

// settings is Config.Options, read.
type settings struct {
	lib      string
	provider string
	threads  int // of one Run; 0: chosen by plan
	interOp  int // nodes of one Run at a time; 1: in sequence
	level    onnxruntime.GraphOptimizationLevel
	spin     string // "", "0" or "1"
	flushing bool   // denormals count as zero
	arena    bool
	config   map[string]string // session config entries
	device   map[string]string // the provider's options
}

// option is one key: its documentation and how it is read.
type option struct {
	backend.Option
	read func(s *settings, value string) error
}

// levels are the graph optimisation levels that option opt names.
var levels = map[string]onnxruntime.GraphOptimizationLevel{
	"none":     onnxruntime.GraphOptimizationLevelDisableAll,
	"basic":    onnxruntime.GraphOptimizationLevelEnableBasic,
	"extended": onnxruntime.GraphOptimizationLevelEnableExtended,
	"all":      onnxruntime.GraphOptimizationLevelEnableAll,
}

const (
	defaultProvider = "cpu"
	defaultLevel    = "all"
)

// options lists every key, in the order in which they are shown.
func options() []option {
	return []option{
		{backend.Option{Name: "threads", Default: "auto", Help: "threads of one Run (intra-op): a number, or auto: all cores for low latency, else the cores divided among the concurrent runs"},
			func(s *settings, v string) (err error) { s.threads, err = readThreads(v); return err }},
		{backend.Option{Name: "inter_op", Default: "1", Help: "operators of one Run at a time (inter-op); above 1 the graph runs in parallel mode"},
			func(s *settings, v string) (err error) { s.interOp, err = readCount(v); return err }},
		{backend.Option{Name: "provider", Default: defaultProvider, Help: "execution provider: " + strings.Join(providerNames(), ", ")},
			func(s *settings, v string) (err error) { s.provider = v; _, err = findProvider(v); return err }},
		{backend.Option{Name: "opt", Default: defaultLevel, Help: "graph optimisation: none, basic, extended or all"},
			func(s *settings, v string) (err error) { s.level, err = readLevel(v); return err }},
		{backend.Option{Name: "lib", Default: "", Help: "path of " + LibraryName() + ", or the folder that holds it"},
			func(s *settings, v string) error { s.lib = v; return nil }},
		{backend.Option{Name: "spin", Default: "auto", Help: "whether idle threads of one Run spin for work: true, false or auto"},
			func(s *settings, v string) (err error) { s.spin, err = readSpin(v); return err }},
		{backend.Option{Name: "denormal_zero", Default: "false", Help: "whether denormal numbers count as zero"},
			func(s *settings, v string) (err error) { s.flushing, err = readBool(v); return err }},
		{backend.Option{Name: "arena", Default: "true", Help: "whether memory is kept between runs"},
			func(s *settings, v string) (err error) { s.arena, err = readBool(v); return err }},
		{backend.Option{Name: configPrefix + "KEY", Help: "session config entry KEY of ONNX Runtime, which ignores keys it does not know"}, nil},
		{backend.Option{Name: providerPrefix + "KEY", Help: "option KEY of the execution provider"}, nil},
	}
}

// readSettings reads the options, or returns one error that lists every fault.
func readSettings(given map[string]string) (settings, error) {
	s := settings{
		provider: defaultProvider, interOp: 1, arena: true, level: levels[defaultLevel],
		config: map[string]string{}, device: map[string]string{},
	}
	known := options()
	var faults []error
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if err := s.set(known, key, given[key]); err != nil {
			faults = append(faults, err)
		}
	}
	if len(faults) > 0 {
		return s, fmt.Errorf("%w: %w", backend.ErrOption, errors.Join(faults...))
	}
	return s, nil
}

func (s *settings) set(known []option, key, value string) error {
	if name, ok := strings.CutPrefix(key, configPrefix); ok && name != "" {
		s.config[name] = value
		return nil
	}
	if name, ok := strings.CutPrefix(key, providerPrefix); ok && name != "" {
		s.device[name] = value
		return nil
	}
	for _, o := range known {
		if o.Name != key || o.read == nil {
			continue
		}
		if err := o.read(s, value); err != nil {
			return fmt.Errorf("option %s=%s: %w", key, value, err)
		}
		return nil
	}
	names := make([]string, len(known))
	for i, o := range known {
		names[i] = o.Name
	}
	return fmt.Errorf("unknown option %q; the known ones are %s", key, strings.Join(names, ", "))
}

// mostThreads bounds a thread count: more is a typing error.
const mostThreads = 4096

func readThreads(v string) (int, error) {
	if v == "auto" {
		return 0, nil
	}
	return readCount(v)
}

func readCount(v string) (int, error) {
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 || n > mostThreads {
		return 0, fmt.Errorf("want a number from 1 to %d", mostThreads)
	}
	return n, nil
}

func readBool(v string) (bool, error) {
	b, err := strconv.ParseBool(v)
	if err != nil {
		return false, errors.New("want true or false")
	}
	return b, nil
}

func readSpin(v string) (string, error) {
	if v == "auto" {
		return "", nil
	}
	b, err := readBool(v)
	if err != nil {
		return "", errors.New("want true, false or auto")
	}
	if b {
		return "1", nil
	}
	return "0", nil
}

func readLevel(v string) (onnxruntime.GraphOptimizationLevel, error) {
	level, ok := levels[v]
	if !ok {
		return 0, errors.New("want none, basic, extended or all")
	}
	return level, nil
}

// plan divides the machine's cores: how many threads one Run has, and how many runs at a time are worth making.
func (s *settings) plan(c backend.Config) (threads, concurrency int) {
	cores := runtime.GOMAXPROCS(0)
	threads = s.threads
	switch {
	case threads > 0:
	case c.LowLatency:
		threads = cores
	default:
		threads = max(1, cores/max(1, c.Concurrency))
		if c.Concurrency == 0 {
			threads = 1
		}
	}
	if c.Concurrency > 0 {
		return threads, c.Concurrency
	}
	return threads, max(1, cores/threads)
}
