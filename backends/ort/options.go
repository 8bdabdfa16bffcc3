package ort

import (
	"errors"
	"fmt"
	"maps"
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
	given    map[string]string // the provider's options
	device   device            // on which it runs; the zero value: the provider's choice
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
			into(func(s *settings) *int { return &s.threads }, readThreads)},
		{backend.Option{Name: "inter_op", Default: "1", Help: "operators of one Run at a time (inter-op); above 1 the graph runs in parallel mode"},
			into(func(s *settings) *int { return &s.interOp }, readCount)},
		{backend.Option{Name: "provider", Default: defaultProvider, Help: "execution provider: " + strings.Join(providerNames(), ", ")},
			into(func(s *settings) *string { return &s.provider }, readProvider)},
		{backend.Option{Name: "opt", Default: defaultLevel, Help: "graph optimisation: none, basic, extended or all"},
			into(func(s *settings) *onnxruntime.GraphOptimizationLevel { return &s.level }, readLevel)},
		{backend.Option{Name: "lib", Help: "path of " + LibraryName() + ", or the folder that holds it (default: beside the binary)"},
			into(func(s *settings) *string { return &s.lib }, readText)},
		{backend.Option{Name: "spin", Default: "auto", Help: "whether idle threads of one Run spin for work: true, false or auto"},
			into(func(s *settings) *string { return &s.spin }, readSpin)},
		{backend.Option{Name: "denormal_zero", Default: "false", Help: "whether denormal numbers count as zero"},
			into(func(s *settings) *bool { return &s.flushing }, readBool)},
		{backend.Option{Name: "arena", Default: "true", Help: "whether memory is kept between runs"},
			into(func(s *settings) *bool { return &s.arena }, readBool)},
		{backend.Option{Name: configPrefix + "KEY", Help: "session config entry KEY of ONNX Runtime, which ignores keys it does not know"}, nil},
		{backend.Option{Name: providerPrefix + "KEY", Help: "option KEY of the execution provider"}, nil},
	}
}

// into reads a value and sets a field to it.
func into[T any](field func(*settings) *T, read func(string) (T, error)) func(*settings, string) error {
	return func(s *settings, value string) (err error) {
		*field(s), err = read(value)
		return err
	}
}

// readSettings reads the options, or returns one error that lists every fault.
func readSettings(given map[string]string) (settings, error) {
	s := settings{
		provider: defaultProvider, interOp: 1, arena: true, level: levels[defaultLevel],
		config: map[string]string{}, given: map[string]string{},
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
		s.given[name] = value
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

func readText(v string) (string, error) { return v, nil }

func readProvider(v string) (string, error) {
	_, err := findProvider(v)
	return v, err
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
