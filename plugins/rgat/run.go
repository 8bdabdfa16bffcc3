package rgat

import (
	"context"
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/plugins/rgat/internal/sampling"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// errOutput is wrapped by every error about a model's output.
var errOutput = errors.New("the model's output is not the classes of the papers")

// graphRun samples neighbourhoods and runs them through a session. It reuses its memory.
type graphRun struct {
	*graphWorkload
	session      backend.Session
	sampler      *sampling.NeighborSampler
	batch        *sampling.NeighborBatch // papers of the session's next run
	overflow     *sampling.NeighborBatch // paper that did not fit into batch
	inputs       []graphInput
	inputTensors []backend.Tensor
	outputs      [1]backend.Tensor
	payload      []byte
}

func newGraphRun(w *graphWorkload, session backend.Session, fault error) (*graphRun, error) {
	infos := session.Inputs()
	inputs, err := parseInputs(infos, w.papers.graph, w.papers.features.Width())
	sampler, err2 := sampling.New(w.papers.graph, w.samplingBinding.samplingOptions())
	if err := errors.Join(fault, err, err2); err != nil {
		return nil, err
	}
	r := &graphRun{graphWorkload: w, session: session, sampler: sampler, inputs: inputs,
		inputTensors: make([]backend.Tensor,
			len(infos)),
		batch: sampling.NewBatch(w.papers.graph), overflow: sampling.NewBatch(w.papers.graph)}
	for i, info := range infos {
		r.inputTensors[i] = backend.Tensor{Name: info.Name, DType: info.DType}
	}
	return r, nil
}

// Run appends the class of each paper.
func (r *graphRun) Run(ctx context.Context, samples []paperSample, p *sdk.Payloads) error {
	if r.SharedNodes {
		return r.inferShared(ctx, samples, p)
	}
	r.batch.Reset()
	for _, s := range samples {
		if err := r.sampler.AddSample(r.batch, s.key, s.paper); err != nil {
			return err
		}
		if r.batch.NodeCount() > r.MaxNodes && len(r.batch.Seeds) > 1 {
			r.batch.MoveLast(r.overflow)
			if err := r.inferBatch(ctx, p); err != nil {
				return err
			}
			r.batch, r.overflow = r.overflow, r.batch
		}
	}
	return r.inferBatch(ctx, p)
}

// inferShared samples one neighbourhood for all samples. If it is too large, it does so for each half.
func (r *graphRun) inferShared(ctx context.Context, samples []paperSample, p *sdk.Payloads) error {
	papers := make([]uint32, len(samples))
	for i, s := range samples {
		papers[i] = s.paper
	}
	r.batch.Reset()
	if err := r.sampler.AddShared(r.batch, papers); err != nil {
		return err
	}
	if half := len(samples) / 2; r.batch.NodeCount() > r.MaxNodes && half > 0 {
		if err := r.inferShared(ctx, samples[:half], p); err != nil {
			return err
		}
		return r.inferShared(ctx, samples[half:], p)
	}
	return r.inferBatch(ctx, p)
}

// inferBatch runs the session once.
func (r *graphRun) inferBatch(ctx context.Context, p *sdk.Payloads) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for i := range r.inputs {
		if err := r.inputs[i].fillTensor(ctx, &r.inputTensors[i], r.batch, r.papers.features); err != nil {
			return err
		}
	}
	r.outputs[0] = backend.Tensor{}
	if err := r.session.Run(ctx, r.inputTensors, r.outputs[:]); err != nil {
		return err
	}
	defer r.outputs[0].Release()
	return r.appendAnswers(&r.outputs[0], len(r.batch.Seeds), p)
}

// appendAnswers appends the classes of n papers.
func (r *graphRun) appendAnswers(out *backend.Tensor, n int, p *sdk.Payloads) error {
	classes, err := classReader(out, n)
	if err != nil {
		return err
	}
	for i := range n {
		class, err := classes(i)
		if err == nil {
			r.payload, err = r.Payload.appendClass(r.payload[:0], class)
		}
		if err != nil {
			return fmt.Errorf("paper %d of the run: %w", i, err)
		}
		p.Append(r.payload)
	}
	return nil
}

// classReader returns a function that reads the class of paper i from an output, which contains either logits or
// classes. The largest logit determines the class.
func classReader(out *backend.Tensor, n int) (func(i int) (int64, error), error) {
	whole := int64(len(out.Data)) == backend.Elements(out.Shape)*int64(out.DType.Size())
	switch {
	case whole && out.DType == backend.Int64 && len(out.Shape) == 1 && out.Shape[0] == int64(n):
		labels := backend.View[int64](out.Data)
		return func(i int) (int64, error) { return labels[i], nil }, nil
	case whole && out.DType == backend.Float32 && len(out.Shape) == 2 && out.Shape[0] == int64(n) && out.Shape[1] > 0:
		logits, width := backend.View[float32](out.Data), int(out.Shape[1])
		return func(i int) (int64, error) { return argMaxLogit(logits[i*width:][:width]) }, nil
	}
	return nil, fmt.Errorf("%w: %q is %v%s of %d bytes, want float32[%d,classes] or int64[%d]", errOutput, out.Name,
		out.DType,
		backend.ShapeString(out.Shape), len(out.Data), n, n)
}

// argMaxLogit returns the index of the largest logit. Of equal ones, it returns the first.
func argMaxLogit(logits []float32) (int64, error) {
	best := 0
	for i, v := range logits {
		if v != v {
			return 0, fmt.Errorf("%w: logit %d is not a number", errOutput, i)
		}
		if v > logits[best] {
			best = i
		}
	}
	return int64(best), nil
}
