package pool

import (
	"context"
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Generator is a generator on several devices. Each prompt stays on one of them, together with its keys and values.
type Generator struct {
	*devicePool[backend.Generator]
}

var (
	_ backend.Generator = (*Generator)(nil)
	_ backend.Describer = (*Generator)(nil)
)

// OpenGenerators opens a generator on each device with opener. It passes c with the device and its part of
// c.Concurrency.
func OpenGenerators(
	ctx context.Context, c backend.Config, devices []string,
	opener func(context.Context, backend.Config) (backend.Generator, error),
) (*Generator, error) {
	w, err := openAll(ctx, c, devices, opener)
	if err != nil {
		return nil, err
	}
	return &Generator{w}, nil
}

// Generate continues p on the device with the fewest prompts in progress.
func (g *Generator) Generate(ctx context.Context, p backend.Prompt, sink backend.TokenSink) error {
	m, done := g.beginRun(), 0
	defer func() { g.endRun(m, done, done) }()
	defer backend.StartWait(ctx, m.waitInfo).End()
	if err := m.engine.Generate(ctx, p, sink); err != nil {
		return fmt.Errorf("device %s: %w", m.name, err)
	}
	done = 1
	return nil
}
