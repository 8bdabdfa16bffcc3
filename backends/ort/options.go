package ort

import (
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/option"
	onnxruntime "github.com/yalue/onnxruntime_go"
)

// ortSettings contains the parsed values of Config.Options.
type ortSettings struct {
	lib             string
	provider        string
	threads         int // threads of one Run; 0: chosen by planThreads
	interOp         int // number of concurrent nodes in one Run; 1: sequential
	level           onnxruntime.GraphOptimizationLevel
	spin            string // "", "0" or "1"
	flushing        bool   // treat denormals as zero
	arena           bool
	bind            bool              // bind each thread to a core if a run uses all cores
	config          map[string]string // session config entries
	providerOptions map[string]string // options of the provider
	device          deviceName        // device on which the session runs; the zero value: the provider's choice
}

// optimizationLevels maps values of option opt to graph optimisation levels.
var optimizationLevels = map[string]onnxruntime.GraphOptimizationLevel{
	"none":     onnxruntime.GraphOptimizationLevelDisableAll,
	"basic":    onnxruntime.GraphOptimizationLevelEnableBasic,
	"extended": onnxruntime.GraphOptimizationLevelEnableExtended,
	"all":      onnxruntime.GraphOptimizationLevelEnableAll,
}

const (
	defaultProvider = "cpu"
	defaultLevel    = "all"
)

// defaultSettings returns the settings without any option.
func defaultSettings() ortSettings {
	return ortSettings{
		provider: defaultProvider, interOp: 1, arena: true, bind: true, level: optimizationLevels[defaultLevel],
		config: map[string]string{}, providerOptions: map[string]string{},
	}
}

// maxThreads is the maximum number of threads, which detects typing errors.
const maxThreads = 4096

// optionList returns the options, which write to s.
func (s *ortSettings) optionList() option.List {
	return option.List{
		option.OrWord("auto", &s.threads, option.Int("threads", &s.threads, 1, maxThreads, "threads of one Run (intra-op): "+
			"a number, or auto: all cores for low latency, else the cores divided among the concurrent runs")),
		option.Int("inter_op", &s.interOp, 1, maxThreads,
			"operators that one Run executes concurrently (inter-op); above 1 the graph runs in parallel mode"),
		option.Func("provider", defaultProvider, "execution provider: "+strings.Join(providerNames(), ", "), s.readProvider),
		option.Choice("opt", &s.level, optimizationLevels, "graph optimisation: none, basic, extended or all"),
		option.Text("lib", &s.lib, "path of "+LibraryName()+", or its folder (default: next to the binary)"),
		option.Choice("spin", &s.spin, map[string]string{"auto": "", "true": "1", "false": "0"},
			"whether idle threads of a Run spin while they wait for work: true, false or auto"),
		option.Bool("denormal_zero", &s.flushing, "whether denormal numbers are flushed to zero"),
		option.Bool("arena", &s.arena, "whether memory is reused between runs"),
		option.Bool("bind", &s.bind, "whether each thread is bound to a core if a Run uses all cores"),
		option.Prefix("config.", "KEY", "session config entry KEY of ONNX Runtime, which ignores unknown keys",
			mapSetter(s.config)),
		option.Prefix("provider.", "KEY", "option KEY of the execution provider", mapSetter(s.providerOptions)),
	}
}

func (s *ortSettings) readProvider(value string) error {
	_, err := findProvider(value)
	s.provider = value
	return err
}

func mapSetter(m map[string]string) func(name, value string) error {
	return func(name, value string) error {
		m[name] = value
		return nil
	}
}

// readSettings parses the options. The error lists every fault.
func readSettings(given map[string]string) (ortSettings, error) {
	s := defaultSettings()
	if err := s.optionList().Read(given); err != nil {
		return s, fmt.Errorf("%w: %w", backend.ErrOption, err)
	}
	return s, nil
}
