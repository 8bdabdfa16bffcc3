package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
)

// defaultStreams is the number of concurrent prompts if the generator has no preference.
const defaultStreams = 256

// openGenerator opens the generator of a workload of prompts, on each of the devices that o names. It is the backend's
// own generator, or the workload's generator on a session of the backend.
func (s *sessionSource) openGenerator(
	ctx context.Context, w sdk.Workload, parts []sdk.Part, o sdk.Options,
) (backend.Generator, error) {
	c := backend.Config{Concurrency: o.Sessions, MaxBatch: o.Batch, Options: o.BackendOptions, ModelName: o.Model}
	if opener, ok := s.backend.(backend.GeneratorOpener); ok {
		return openGenerators(ctx, c, o.Devices, func(ctx context.Context, c backend.Config) (backend.Generator, error) {
			g, err := openOwn(ctx, opener, parts[0].Model, c)
			return requirePromptSupport(w, g, err)
		})
	}
	maker, ok := sdk.As[sdk.SessionGenerator](w)
	if !ok {
		return nil, sdk.Usage(errors.New("the backend does not generate tokens, and the model has no decoding of its own: " +
			"choose a backend that generates"))
	}
	return openGenerators(ctx, c, o.Devices, func(ctx context.Context, c backend.Config) (backend.Generator, error) {
		g, err := s.openDecoder(ctx, maker, parts, decoderConfig(w, o.Scenario, c))
		return requirePromptSupport(w, g, err)
	})
}

// requirePromptSupport returns an error if the generator does not support the workload's prompts: audio, sampling,
// pictures or tools.
func requirePromptSupport(w sdk.Workload, g backend.Generator, err error) (backend.Generator, error) {
	if err != nil {
		return nil, err
	}
	var faults []error
	refuse := func(text string) { faults = append(faults, errors.New(text)) }
	if a, speaks := sdk.As[sdk.AudioPrompter](w); speaks && a.AudioPrompts() && !takesAudio(g) {
		refuse("the prompts are audio, and what generates takes none: choose a backend and a model that transcribe")
	}
	if s, draws := sdk.As[sdk.SamplingPrompter](w); draws && s.SamplingPrompts() && !takesSampling(g) {
		refuse("tokens are to be drawn (parameters temperature, top_p, top_k), and what generates takes the most probable " +
			"one alone: choose a backend that samples, or --param temperature=0")
	}
	if p, shows := sdk.As[sdk.PartsPrompter](w); shows && p.PartsPrompts() && !takesParts(g) {
		refuse("the prompts have pictures, and what generates takes none: choose a backend and a model that see, such as " +
			"--backend openai with a server of one")
	}
	if p, calls := sdk.As[sdk.ToolsPrompter](w); calls && p.ToolsPrompts() && !takesTools(g) {
		refuse("the prompts have tools, and what generates calls none: choose a backend and a model that do, such as " +
			"--backend openai with a server of one")
	}
	if len(faults) == 0 {
		return g, nil
	}
	return nil, errors.Join(sdk.Usage(errors.Join(faults...)), g.Close())
}

func takesAudio(g backend.Generator) bool {
	t, ok := g.(backend.AudioTaker)
	return ok && t.TakesAudio()
}

func takesSampling(g backend.Generator) bool {
	t, ok := g.(backend.SamplingTaker)
	return ok && t.TakesSampling()
}

func takesParts(g backend.Generator) bool {
	t, ok := g.(backend.PartsTaker)
	return ok && t.TakesParts()
}

func takesTools(g backend.Generator) bool {
	t, ok := g.(backend.ToolsTaker)
	return ok && t.TakesTools()
}

// openOwn opens the backend's own generator.
func openOwn(
	ctx context.Context, opener backend.GeneratorOpener, m backend.Model, c backend.Config,
) (g backend.Generator, err error) {
	defer batch.RecoverPanic(&err, func() string { return "the backend's OpenGenerator" })
	defer backend.StartWait(ctx, backend.WaitInfo{For: "the backend's OpenGenerator" + onDeviceText(c.Device)}).End()
	if g, err = opener.OpenGenerator(ctx, m, c); err != nil {
		return nil, fmt.Errorf("open model %s: %w", cmp.Or(m.Name, m.Path), markBackendError(err))
	}
	if g == nil {
		return nil, fmt.Errorf("%w: its OpenGenerator returned neither a generator nor an error", backend.ErrFailed)
	}
	return g, nil
}

// decoderConfig returns the configuration of a session for steps. The workload plans it; otherwise the session runs one
// step at a time on all cores, unless the user requests several at a time.
func decoderConfig(w sdk.Workload, s loadgen.Scenario, c backend.Config) backend.Config {
	if p, ok := sdk.As[sdk.SessionPlanner](w); ok {
		return p.PlanSession(s, c)
	}
	c.Concurrency = max(c.Concurrency, 1)
	c.LowLatency = c.Concurrency == 1
	return c
}

// openDecoder opens a session for each part and the workload's generator on them.
func (s *sessionSource) openDecoder(
	ctx context.Context, maker sdk.SessionGenerator, parts []sdk.Part, c backend.Config,
) (g backend.Generator, err error) {
	sessions := sdk.Sessions{}
	defer func() {
		for _, session := range sessions {
			if err != nil {
				err = errors.Join(err, session.Close())
			}
		}
	}()
	for _, p := range parts {
		session, _, err := s.openPart(ctx, parts, p, c)
		if err != nil {
			return nil, err
		}
		if session != nil {
			sessions[p.Name] = session
		}
	}
	defer batch.RecoverPanic(&err, func() string { return "NewGenerator" })
	if g, err = maker.NewGenerator(sessions, c); err != nil {
		m := parts[0].Model
		return nil, fmt.Errorf("generate with model %s: %w", cmp.Or(m.Name, m.Path), err)
	}
	return g, nil
}

// generatorPolicy returns the policy for a generator: one prompt per worker, each in its own goroutine. Other prompts
// wait in the scheduler's queue.
func generatorPolicy(o sdk.Options, l backend.Limits) batch.BatchPolicy {
	n := cmp.Or(l.Concurrency, o.Sessions, defaultStreams)
	p := batch.BatchPolicy{Sessions: n, Workers: n, MaxBatch: 1}
	if o.Scenario == loadgen.SingleStream {
		p.Sessions, p.Workers, p.Inline = 1, 1, true
	}
	return p
}
