package acme

import (
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

func TestBackend(t *testing.T) {
	sdktest.RunBackendSuite(t, sdktest.Backend{
		Backend:       Backend{},
		Model:         backend.Model{Name: "any", Inputs: inputs, Outputs: outputs},
		ForgivesFiles: true, // the device has its model built in
	})
}
