package main

import (
	"context"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/backend/process"
	"github.com/plumbline-ml/plumbline/sdk/sdktest/null"
)

// backendArg is the argument that makes the program a backend process.
const backendArg = "backend"

// serveBackend serves one plugin, or hangs with a fault of hangs.
func serveBackend(fault string) error {
	if fault == hangsInAttach {
		return serveDeaf()
	}
	if at, ok := backendHangs[fault]; ok {
		return process.Serve(hangingBackend{Backend: valueBackend{}, at: at})
	}
	return process.Serve(valueBackend{})
}

// valueBackend is the null backend in its own process. It knows the tensors of its model.
type valueBackend struct{ null.Backend }

func (v valueBackend) Open(ctx context.Context, m backend.Model, c backend.Config) (backend.Session, error) {
	m.Inputs = []backend.TensorInfo{{Name: "values", DType: backend.Float32, Shape: []int64{-1}}}
	m.Outputs = m.Inputs
	return v.Backend.Open(ctx, m, c)
}
