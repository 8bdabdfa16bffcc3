package newmodule

import (
	"path"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/host"
)

// The folders of the Python examples and their protocol definitions in a checkout.
const (
	pythonBackend   = "examples/python-backend/"
	pythonBenchmark = "examples/python-benchmark/"
	pythonExample   = "digits" // benchmark of the example
	protoDir        = "sdk/proto/"
	backendProto    = "plumbline/backend/v1/backend.proto"
	pluginProto     = "plumbline/plugin/v1/plugin.proto"
	requirementsTxt = "requirements.txt"
)

// readPythonFiles returns the files of a Python program: the checkout's example and its protocol definition.
func readPythonFiles(s ModuleSpec, n templateData) (map[string][]byte, error) {
	from, script, proto, readme := pythonBackend, "backend.py", backendProto, "python/backend.md.tmpl"
	if s.Kind == Benchmark {
		from, script, proto, readme = pythonBenchmark, host.BinaryPrefix+pythonExample, pluginProto,
			"python/benchmark.md.tmpl"
	}
	read, err := s.readFiles(from+script, from+requirementsTxt, protoDir+proto)
	if err != nil {
		return nil, err
	}
	text, err := fillTemplate(readme, n)
	if err != nil {
		return nil, err
	}
	renamed := strings.NewReplacer(
		`"`+pythonExample+`"`, `"`+n.Benchmark+`"`,
		"run "+pythonExample, "run "+n.Benchmark,
		"verify "+pythonExample, "verify "+n.Benchmark,
		path.Clean(pythonBenchmark), ".",
	)
	name := strings.Replace(script, pythonExample, n.Benchmark, 1)
	return map[string][]byte{
		name:            []byte(renamed.Replace(string(read[0]))),
		requirementsTxt: read[1],
		proto:           read[2],
		"README.md":     text,
	}, nil
}

// pythonCommands returns the commands that try the module.
func pythonCommands(k ModuleKind, n templateData) []string {
	if k == Benchmark {
		return []string{
			"python3 -m venv venv && . venv/bin/activate && pip install -r " + requirementsTxt,
			"harness run " + n.Benchmark + " --plugin-dir .",
			"harness verify " + n.Benchmark + " --plugin-dir .",
		}
	}
	const on = ` resnet50 --backend process --backend-opt command="venv/bin/python backend.py"`
	return []string{
		"python3 -m venv venv && venv/bin/pip install -r " + requirementsTxt,
		"harness run" + on + " --scenario SingleStream,Offline",
		"harness verify" + on,
	}
}
