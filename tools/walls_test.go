package tools

// prefix is the prefix of the import paths of all packages except those of the vendor's example.
const prefix = "github.com/plumbline-ml/plumbline/"

// modules contains the modules of go.work. loadgen and sdk are promised to vendors and therefore have few dependencies;
// tools has dependencies that no user of the product needs; the examples are built like those of other authors. All
// other packages form one module, whose parts are separated by walls.
func modules() []string {
	return []string{".", "examples", "examples/vendor-backend", "loadgen", "sdk", "tools"}
}

// wall restricts the packages of a folder and below it, except those with their own walls. A package may import its own
// folder without a rule, but a plugin may not import another plugin: common code is in plugins/internal. An entry that
// ends in "/" is a folder with all folders below it.
type wall struct {
	ours   []string // the packages of Plumbline that these may need, directly or not
	tests  []string // more, which their tests may import
	others []string // the modules of others that they and their tests may import
}

// shared, in a rule, means the packages of internal/ without their own wall.
const shared = "internal/"

// walls contains the rules that ARCHITECTURE.md draws. The longest folder that contains a package applies.
func walls() map[string]wall {
	return map[string]wall{
		"loadgen": {},
		"preprocess": {
			ours:  []string{"internal/mt19937", "internal/parallel", "internal/pystr"},
			tests: []string{"internal/"},
			others: []string{"github.com/mewkiz/flac", "golang.org/x/text", "gonum.org/v1/gonum",
				"google.golang.org/protobuf"},
		},
		"datasets/cmd": {ours: []string{"datasets/", "internal/", "internal/parquetfile", "internal/synthetic/",
			"preprocess/", "accuracy/"}},
		"datasets": {
			ours: []string{"internal/bounded", "internal/draw", "internal/figure", "internal/half",
				"internal/mt19937", "internal/nifti", "internal/npy", "internal/parallel", "internal/parquetfile",
				"internal/pyfloat", "internal/pystr", "internal/pyvalue"},
			tests: []string{"internal/", "internal/synthetic/"},
			others: []string{"github.com/andybalholm/brotli", "github.com/klauspost/compress",
				"github.com/parquet-go/parquet-go", "github.com/pierrec/lz4/v4"},
		},
		"internal":       {tests: []string{"internal/testkit/"}},
		"internal/fetch": {tests: []string{shared}},
		"internal/parquetfile": {
			ours: []string{shared},
			others: []string{"github.com/andybalholm/brotli", "github.com/klauspost/compress",
				"github.com/parquet-go/parquet-go", "github.com/pierrec/lz4/v4"},
		},
		"internal/reasoning": {ours: []string{shared}, others: []string{"golang.org/x/text"}},
		"internal/oip":       {others: []string{"google.golang.org/grpc", "google.golang.org/protobuf"}},
		"internal/synthetic": {
			ours:   []string{"datasets/", "preprocess/", "accuracy/", "loadgen/", "internal/parquetfile", shared},
			others: []string{"github.com/parquet-go/parquet-go"},
		},
		"internal/testkit": {
			ours: []string{"accuracy/", "bench/", "datasets/", "internal/", "loadgen/", "preprocess/", "sdk/",
				"serving/", "internal/fetch/", "internal/oip", "internal/parquetfile", "internal/power/", "internal/record/",
				"internal/submission/",
				"internal/synthetic/"},
			others: []string{"github.com/hanwen/go-fuse/v2", "github.com/mewkiz/flac", "github.com/parquet-go/parquet-go",
				"golang.org/x/sys", "google.golang.org/grpc"},
		},
		"accuracy": {
			ours: []string{"preprocess/text/", "internal/half", "internal/mt19937", "internal/parallel",
				"internal/pcg64", "internal/programs", "internal/pyfloat", "internal/pystr", "internal/pyvalue",
				"internal/reasoning/"},
			tests:  []string{"internal/"},
			others: []string{"github.com/mozillazg/go-unidecode", "golang.org/x/text", "gonum.org/v1/gonum"},
		},
		"sdk": {
			ours: []string{"loadgen/"},
			others: []string{"github.com/disintegration/imaging", "github.com/hashicorp/go-hclog",
				"github.com/hashicorp/go-plugin", "golang.org/x/sys", "google.golang.org/grpc", "google.golang.org/protobuf"},
		},
		"backends/ort":    backend("github.com/yalue/onnxruntime_go", "golang.org/x/sys"),
		"backends/openai": backend(),
		"backends/kserve": backend("golang.org/x/sys", "google.golang.org/grpc", "google.golang.org/protobuf").
			with("internal/oip"),
		// Servers without a model, which are nothing but their kits, to be started by hand.
		"backends/openai/cmd/openai-mock": {ours: []string{"internal/testkit/openaitest"}},
		"backends/kserve/cmd/oip-mock":    {ours: []string{"internal/oip", "internal/testkit/oiptest"}},
		"plugins":                         plugin("github.com/parquet-go/parquet-go"),
		// The client of a database and the library of tensors stay in the one benchmark that needs them.
		"plugins/rag":  plugin("github.com/jackc/pgx/v5", "golang.org/x/net", "golang.org/x/text", "gonum.org/v1/gonum"),
		"plugins/sdxl": plugin("gorgonia.org/tensor"),
		"cmd/plugins": {
			ours: []string{"plugins/", "backends/", "sdk/", "preprocess/", "accuracy/", "datasets/", "loadgen/",
				"internal/bounded", "internal/draw", "internal/figure", "internal/half",
				"internal/mt19937", "internal/nifti", "internal/npy", "internal/oip", "internal/onnx",
				"internal/parallel", "internal/parquetfile", "internal/pcg64", "internal/programs", "internal/pyfloat",
				"internal/pystr",
				"internal/pyvalue", "internal/reasoning/", "internal/sandbox", "internal/synthetic/"},
			tests: []string{"internal/"},
		},
		// What is measured of servers, from the bottom: the first four need no server, and records need the first alone.
		"serving/metrics":         {ours: ground()},
		"serving/arrival":         {ours: append(ground(), "serving/metrics")},
		"serving/objective":       {ours: append(ground(), "serving/metrics")},
		"internal/serving/curve":  {ours: append(ground(), "serving/arrival", "serving/metrics")},
		"serving/prompts":         {ours: append(ground(), "sdk/backend")},
		"internal/serving/chat":   {ours: ground(), tests: []string{"preprocess/text/"}},
		"internal/serving/search": {ours: ground(), tests: []string{"serving/metrics", "serving/objective"}},
		"internal/serving/shard":  {ours: append(ground(), "serving/metrics")},
		"internal/serving/engine": {
			ours: append(ground(), "sdk/backend", "serving/arrival", "serving/metrics", "serving/prompts",
				"internal/serving/shard"),
		},
		"serving": {
			ours: append(served(),
				"backends/openai", "preprocess/text/", // servers are asked in the process that measures
				"internal/parquetfile"),
			tests: []string{"backends/openai/"},
			others: []string{"github.com/goccy/go-yaml", "github.com/parquet-go/parquet-go",
				"github.com/prometheus/client_model", "github.com/prometheus/common"},
		},
		"internal/serving/client": {
			ours:   append(served(), "backends/openai", "internal/parquetfile", "preprocess/text/"),
			tests:  []string{"backends/openai/"},
			others: []string{"github.com/parquet-go/parquet-go"},
		},
		"internal/serving": {
			ours:  append(served(), "backends/openai"),
			tests: []string{"backends/openai/", "preprocess/text/", "internal/parquetfile"},
			others: []string{"github.com/goccy/go-yaml", "github.com/HdrHistogram/hdrhistogram-go",
				"github.com/prometheus/client_model", "github.com/prometheus/common"},
		},
		"bench":          {ours: measured(), others: []string{"github.com/goccy/go-yaml"}},
		"bench/exitcode": {ours: recorded()},
		"bench/plugin":   {ours: recorded()},
		"bench/record": {
			ours:   recorded(),
			others: []string{"github.com/HdrHistogram/hdrhistogram-go", "github.com/parquet-go/parquet-go"},
		},
		"internal/record": {
			ours: append(library(), "bench/", "internal/compare", "internal/power/", "internal/trust",
				"serving/metrics"),
			others: []string{"github.com/HdrHistogram/hdrhistogram-go", "github.com/parquet-go/parquet-go"},
		},
		"internal/closedloop": {ours: measured()},
		"internal/compare":    {ours: measured()},
		"internal/failif":     {ours: measured()},
		"internal/power":      {ours: measured()},
		"internal/trust":      {ours: append(library(), "bench/plugin")},
		"internal/submission": {
			ours:   measured(),
			others: []string{"github.com/goccy/go-yaml"},
		},
		"internal/submission/endpoints/score": {
			ours: append(measured(), "internal/submission/endpoints", "internal/reasoning/", "accuracy/", "preprocess/text/",
				"backends/openai", "internal/parquetfile"), // the last two by serving
		},
		"internal/submission/endpoints/drive": {
			ours: append(measured(), "internal/submission/endpoints/", "internal/submission/internal/yaml11", "accuracy/",
				"internal/reasoning/", "datasets/conversations", "datasets/internal/",
				"backends/openai", "preprocess/text/", "internal/parquetfile"), // by serving
			tests:  []string{"backends/openai/"},
			others: []string{"github.com/goccy/go-yaml"},
		},
		"cmd/harness": {
			ours: append(measured(), "internal/submission/", "sdk/conformance",
				"accuracy/", "datasets/conversations", "datasets/internal/", "internal/reasoning/", // by rehearsals of curves
				"backends/openai", "preprocess/text/", "internal/parquetfile"), // by serving
			tests: []string{"backends/openai/"},
			others: []string{"github.com/goccy/go-yaml", "github.com/prometheus/client_golang", "github.com/spf13/cobra",
				"github.com/spf13/pflag", "go.opentelemetry.io/otel", "go.opentelemetry.io/proto/otlp",
				"golang.org/x/image", "golang.org/x/sys", "golang.org/x/term", "gonum.org/v1/plot",
				"google.golang.org/protobuf"},
		},
		"e2e": {
			ours: []string{"datasets/", "internal/", "internal/oip", "internal/synthetic/", "loadgen/", "sdk/"},
			others: []string{"github.com/goccy/go-yaml", "github.com/hanwen/go-fuse/v2", "github.com/mewkiz/flac",
				"github.com/parquet-go/parquet-go", "golang.org/x/sys"},
		},
		"oracles": {
			tests:  []string{"accuracy/", "preprocess/"},
			others: []string{"github.com/disintegration/imaging", "gonum.org/v1/gonum"},
		},
		"tools": {
			ours: []string{"internal/fetch/", "internal/", "loadgen/", "sdk"},
			others: []string{"github.com/blakesmith/ar", "github.com/bufbuild/protocompile",
				"github.com/goreleaser/nfpm/v2", "github.com/klauspost/compress", "github.com/yuin/goldmark",
				"golang.org/x/mod", "google.golang.org/protobuf"},
		},
		"examples": {ours: measured()},
	}
}

// backend is the wall of a backend that uses the client library of its server or device.
func backend(client ...string) wall {
	return wall{
		ours:   []string{"sdk/backend", "sdk/backend/tensorcache", "sdk/option", "internal/onnx"},
		tests:  []string{"internal/", "loadgen/", "sdk/"},
		others: client,
	}
}

// with returns a wall with more packages of the project.
func (w wall) with(ours ...string) wall {
	w.ours = append(w.ours, ours...)
	return w
}

// plugin is the wall of a benchmark that needs third-party modules.
func plugin(others ...string) wall {
	return wall{
		ours: []string{
			"sdk", "sdk/backend", "sdk/backend/tensorcache", "sdk/option", "sdk/manifest", "sdk/generate", "sdk/exhibit",
			"sdk/scoring", "sdk/sequence", "internal/draw", "internal/npy", "internal/synthetic/",
			"preprocess/", "accuracy/", "datasets/", "loadgen/", "internal/bounded", "internal/figure", "internal/half",
			"internal/mt19937", "internal/nifti", "internal/onnx", "internal/parallel",
			"internal/parquetfile", "internal/pcg64", "internal/programs", "internal/pyfloat", "internal/pystr",
			"internal/pyvalue", "internal/reasoning/", "internal/sandbox",
			"plugins/internal/", // what several plugins share
		},
		tests:  []string{"internal/", "sdk/"},
		others: others,
	}
}

// ground contains the packages on which the parts of serving are based.
func ground() []string { return []string{"loadgen/", "internal/"} }

// library contains the packages that the harness as a library may need.
func library() []string {
	return []string{"loadgen/", "sdk", "sdk/backend", "sdk/option", "sdk/host", "sdk/internal/", "internal/fetch/",
		"internal/"}
}

// recorded contains the packages that records and exit codes need.
func recorded() []string {
	return append(library(), "bench/exitcode", "bench/internal/division", "bench/plugin", "bench/record/",
		"internal/power/", "internal/record/", "internal/trust", "serving/metrics")
}

// served contains the packages that packages which measure servers need. It includes recorded of bench; recorded
// includes only metrics of serving. bench may thus need serving without a cycle.
func served() []string {
	return append(recorded(), "serving/", "internal/serving/")
}

// measured contains the packages that measurements need: running and judging benchmarks, and servers.
func measured() []string {
	return append(library(), "bench/", "internal/record/", "internal/closedloop", "internal/compare", "internal/failif",
		"internal/power/", "internal/trust", "serving/", "internal/serving/")
}
