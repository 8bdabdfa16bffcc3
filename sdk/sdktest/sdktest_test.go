package sdktest_test

import (
	"os"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
	"github.com/plumbline-ml/plumbline/sdk/sdktest/null"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

// pluginEnv is the variable that makes the test binary the null plugin.
const pluginEnv = "PLUMBLINE_TEST_PLUGIN"

func TestMain(m *testing.M) {
	if os.Getenv(pluginEnv) != "" {
		serve.Main(null.Benchmark{}, serve.Backend("null", null.Backend{}))
	}
	os.Exit(m.Run())
}

func TestNullPlugin(t *testing.T) {
	t.Setenv(pluginEnv, "1")
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	sdktest.RunPluginSuite(t, sdktest.Plugin{Binary: path})
}

func TestNullBackend(t *testing.T) {
	tensors := []backend.TensorInfo{
		{Name: "a", DType: backend.Float32, Shape: []int64{-1, 3}}, {Name: "b", DType: backend.Int64, Shape: []int64{-1}},
	}
	sdktest.RunBackendSuite(t, sdktest.Backend{
		Backend: null.Backend{}, Model: backend.Model{Name: "null", Inputs: tensors, Outputs: tensors}, ForgivesFiles: true,
	})
}
