package pointpainting

import (
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

func TestBenchmark(t *testing.T) { manifesttest.Run(t, New()) }
