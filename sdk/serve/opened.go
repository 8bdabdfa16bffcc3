package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
	"github.com/plumbline-ml/plumbline/sdk/internal/pool"
)

// warmUpRounds is the number of runs of each worker before the clock starts: one to allocate memory, and one without
// allocation.
const warmUpRounds = 2

// maxWarmStreams is the maximum number of prompts in a warm-up, because a few are enough for a server with thousands of
// streams.
const maxWarmStreams = 8

// openedWorkload is a workload with its session or generator, its samples and its scheduler.
type openedWorkload struct {
	workload     sdk.Workload
	parts        []sdk.Part
	source       *sessionSource
	engine       io.Closer // the session, the parts, or the generator
	library      *batch.SampleLibrary[sdk.Sample]
	policy       batch.BatchPolicy
	maxSequences int // number of sequences that a generator decodes together; 0: not known, or no generator
	workers      []warmWorker
	warmWorkers  int // number of workers that the warm-up runs
	scheduler    *batch.Scheduler
	monitor      *progressMonitor
	network      nodeNetwork
	processors   processorPlan
	info         sdk.WorkloadInfo
}

// setUpWorkload opens the workload of o. fail is called once if a batch fails.
func (s *pluginService) setUpWorkload(ctx context.Context, o sdk.Options) (_ *openedWorkload, err error) {
	model, errModel := s.description.Model(o.Model)
	name, b, errBackend := s.backends.findBackend(o.Backend)
	if err := errors.Join(errModel, errBackend, checkDevices(name, b, o)); err != nil {
		return nil, err
	}
	o.Model, o.Backend = model.Name, name
	if o.Network {
		o.Batch = max(o.Batch, 1)
	}
	w := &openedWorkload{source: &sessionSource{backend: b}, monitor: s.monitor}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close())
		}
	}()
	if w.workload, w.parts, err = s.openWorkload(ctx, o); err != nil {
		return nil, err
	}
	w.library = batch.NewSampleLibrary(w.workload.Len(), w.loadOne)
	newWorker, err := w.openModels(ctx, o, s.outbox)
	if err != nil {
		return nil, err
	}
	_, runs := w.workload.(sdk.Runner)
	w.processors = planProcessors(w.source.sessions, w.policy.Inline && !runs)
	useProcessors(w.processors.prepare)
	if err := w.startWorkers(newWorker, s.outbox); err != nil {
		return nil, err
	}
	w.info, err = workloadInfo(w, o, model)
	w.info.Backend, w.info.BackendInfo = name, w.engineDetails()
	if err == nil {
		err = w.findNodes(ctx, o, &w.info)
	}
	return w, err
}

// openModels opens the parts in the form that the workload requires, and returns a function that makes its workers.
func (w *openedWorkload) openModels(ctx context.Context, o sdk.Options, out *answerOutbox) (func() (warmWorker, error),
	error) {
	switch way := w.workload.(type) {
	case sdk.Generative:
		return w.openStreams(ctx, way, o, out)
	case sdk.Runner:
		return w.openRuns(ctx, way, o, out)
	default:
		return w.openBatches(ctx, way.(sdk.Batcher), o, out)
	}
}

// batchRequest returns the request for the batch policy, and the configuration of sessions for it.
func (w *openedWorkload) batchRequest(o sdk.Options) (batch.PolicyRequest, backend.Config) {
	r := batch.PolicyRequest{
		Scenario: o.Scenario, Batch: o.Batch, Sessions: o.Sessions, Preferred: sizeRule(w.workload).Batch,
		CPUs: runtime.GOMAXPROCS(0), Devices: len(o.Devices),
	}
	c := r.Config()
	c.Options, c.ModelName = o.BackendOptions, o.Model
	return r, c
}

// openBatches opens a session that runs the workload batch by batch.
func (w *openedWorkload) openBatches(
	ctx context.Context, b sdk.Batcher, o sdk.Options, out *answerOutbox,
) (func() (warmWorker, error), error) {
	request, config := w.batchRequest(o)
	session, err := w.source.openSession(ctx, w.parts[0].Model, partConfig(w.parts, w.parts[0], config), o.Devices)
	if err != nil {
		return nil, err
	}
	w.engine = session
	w.policy = batch.ChoosePolicy(request, session.Limits())
	w.warmWorkers = w.policy.Sessions
	w.measureSizes(o.Network)
	return func() (warmWorker, error) {
		return newWorker(b, session, inflightBatch{library: w.library, answer: out.addAnswers}), nil
	}, nil
}

// openRuns opens a session for each part, for the workload's own runs.
func (w *openedWorkload) openRuns(
	ctx context.Context, r sdk.Runner, o sdk.Options, out *answerOutbox,
) (func() (warmWorker, error), error) {
	request, config := w.batchRequest(o)
	sets, err := w.source.openSets(ctx, w.parts, config, o.Devices)
	if err != nil {
		return nil, err
	}
	w.engine = sets
	w.policy = runnerPolicy(w.workload, r, batch.ChoosePolicy(request, sets.Limits()))
	w.warmWorkers = w.policy.Sessions
	w.measureSizes(o.Network)
	return func() (warmWorker, error) {
		return newRunning(r, sets, inflightBatch{library: w.library, answer: out.addAnswers}, out.firstToken)
	}, nil
}

// openStreams opens a generator that answers the workload prompt by prompt.
func (w *openedWorkload) openStreams(
	ctx context.Context, way sdk.Generative, o sdk.Options, out *answerOutbox,
) (func() (warmWorker, error), error) {
	generator, err := w.source.openGenerator(ctx, w.workload, w.parts, o)
	if err != nil {
		return nil, err
	}
	w.engine = generator
	w.policy = generatorPolicy(o, generator.Limits())
	w.policy.Full = o.Scenario == loadgen.Offline && sizeRule(w.workload).Alike
	w.measureSizes(o.Network)
	w.maxSequences = generator.Limits().MaxBatch
	w.warmWorkers = min(w.policy.Sessions, maxWarmStreams)
	replay, limit := conversationsOf(w.workload)
	return func() (warmWorker, error) {
		return &promptWorker{workload: way, generator: generator, library: w.library, outbox: out,
			replay: len(replay) > 0, limit: limit}, nil
	}, nil
}

// openWorkload lets the benchmark open the workload, and checks the workload.
func (s *pluginService) openWorkload(ctx context.Context, o sdk.Options) (w sdk.Workload, parts []sdk.Part, err error) {
	defer batch.RecoverPanic(&err, func() string { return "Open" })
	if w, err = s.benchmark.Open(ctx, o); err != nil {
		return nil, nil, err
	}
	if w == nil {
		return nil, nil, errors.New("the benchmark's Open returned neither a workload nor an error")
	}
	parts = w.Parts()
	return w, parts, errors.Join(checkRunKind(w), checkParts(w, parts))
}

// warmWorker is a batch.Worker that can run an untimed sample.
type warmWorker interface {
	batch.Worker
	// warmUp runs n copies of sample and drops the answers.
	warmUp(ctx context.Context, sample sdk.Sample, n int) error
}

// startWorkers makes the workers and their scheduler.
func (w *openedWorkload) startWorkers(newWorker func() (warmWorker, error), o *answerOutbox) error {
	for range w.policy.Workers {
		k, err := newWorker()
		if err != nil {
			return err
		}
		w.workers = append(w.workers, k)
	}
	next := 0
	w.scheduler = batch.New(w.monitor.watch.NewContext(context.Background()), w.policy, func() batch.Worker {
		next++
		return w.workers[next-1]
	}, func(err error) {
		printStack(err)
		o.addFailure(err)
	})
	w.monitor.scheduler.Store(w.scheduler)
	return nil
}

// warmUp runs the model on every session if the workload has a sample for it. No sample may be issued at the same time.
func (w *openedWorkload) warmUp(ctx context.Context) error {
	warm, ok := sdk.As[sdk.WarmSampler](w.workload)
	if !ok {
		return nil
	}
	sample := warm.WarmSample()
	faults := make([]error, w.warmWorkers)
	devices := len(deviceShares(w.engine)) // each must get a turn
	rounds := warmUpRounds * max(1, (devices+w.warmWorkers-1)/w.warmWorkers)
	var running sync.WaitGroup
	for i, k := range w.workers[:w.warmWorkers] {
		running.Go(func() {
			defer backend.StartWait(ctx, backend.WaitInfo{For: "the warm-up of a session"}).End()
			for n := 0; n < rounds && faults[i] == nil; n++ {
				faults[i] = k.warmUp(ctx, sample, w.warmBatch(sample))
			}
		})
	}
	running.Wait()
	if several, ok := w.engine.(sharedWork); ok {
		several.Restart()
	}
	return errors.Join(distinctErrors(faults)...)
}

// loadSamples loads samples on all cores. It records a wait, and each loaded sample signals progress, so only a load
// that stands still counts as hung.
func (w *openedWorkload) loadSamples(ctx context.Context, indices []loadgen.SampleIndex) error {
	useProcessors(w.processors.prepare)
	defer useProcessors(w.processors.answer)
	loading := backend.StartWait(w.monitor.watch.NewContext(ctx), backend.WaitInfo{
		For: fmt.Sprintf("samples that it loads, %d of them", len(indices)),
	})
	defer loading.End()
	return w.library.Load(context.WithValue(ctx, loadingKey{}, loading), indices)
}

type loadingKey struct{}

// loadOne loads a sample for the library.
func (w *openedWorkload) loadOne(ctx context.Context, i int) (sdk.Sample, error) {
	if loading, ok := ctx.Value(loadingKey{}).(*backend.PendingWait); ok {
		defer loading.SignalProgress()
	}
	return w.workload.Load(ctx, i)
}

// distinctErrors removes errors with equal texts, because all workers fail for the same reason.
func distinctErrors(errs []error) []error {
	seen := map[string]bool{}
	return slices.DeleteFunc(errs, func(err error) bool {
		if err == nil || seen[err.Error()] {
			return true
		}
		seen[err.Error()] = true
		return false
	})
}

// close ends the work, then closes the session or generator, then the workload. It skips parts that were never opened.
func (w *openedWorkload) close() error {
	var errs []error
	if w.scheduler != nil {
		w.scheduler.Close()
		w.monitor.scheduler.Store(nil)
	}
	useProcessors(w.processors.before)
	if w.library != nil {
		errs = append(errs, w.library.Clear())
	}
	if w.engine != nil {
		errs = append(errs, w.engine.Close())
	}
	if w.workload != nil {
		errs = append(errs, w.workload.Close())
	}
	return errors.Join(errs...)
}

// onlySession returns the session of a workload with one part, or nil if there are several parts or a generator.
func (w *openedWorkload) onlySession() backend.Session {
	switch e := w.engine.(type) {
	case backend.Session:
		return e
	case *pool.PartSets:
		if len(w.parts) == 1 {
			return w.source.sessionOf(w.parts[0].Name)
		}
	}
	return nil
}
