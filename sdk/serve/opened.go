package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/batch"
)

// warmUpRounds is how often each worker runs before the clock starts: once to allocate, once as it will be.
const warmUpRounds = 2

// mostWarmStreams bounds the prompts of a warm-up: a server of thousands of streams warms up on a few.
const mostWarmStreams = 8

// opened is a workload with its session or generator, its samples and its scheduler.
type opened struct {
	workload   sdk.Workload
	source     *source
	engine     io.Closer // the session or the generator
	library    *batch.Library[sdk.Sample]
	policy     batch.Policy
	together   int // sequences that a generator decodes together; 0: not known, or no generator
	workers    []warmer
	warm       int // how many workers the warm-up runs
	scheduler  *batch.Scheduler
	lookout    *lookout
	network    network
	processors processors
	info       sdk.WorkloadInfo
}

// open opens what o asks for. fail is called once if a batch fails.
func (s *service) open(ctx context.Context, o sdk.Options) (_ *opened, err error) {
	model, errModel := s.description.Model(o.Model)
	name, b, errBackend := s.backends.find(o.Backend)
	if err := errors.Join(errModel, errBackend, checkDevices(name, b, o)); err != nil {
		return nil, err
	}
	o.Model = model.Name
	if o.Network {
		o.Batch = max(o.Batch, 1)
	}
	w := &opened{source: &source{backend: b}, lookout: s.lookout}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close())
		}
	}()
	if w.workload, err = s.openWorkload(ctx, o); err != nil {
		return nil, err
	}
	w.library = batch.NewLibrary(w.workload.Len(), w.workload.Load)
	prepare := w.openBatches
	if _, ok := w.workload.(sdk.Generative); ok {
		prepare = w.openStreams
	}
	newWorker, err := prepare(ctx, o, s.outbox)
	if err != nil {
		return nil, err
	}
	w.processors = planProcessors(w.source.sessions, w.policy.Inline && !isRunner(w.workload))
	useProcessors(w.processors.prepare)
	w.start(newWorker, s.outbox)
	w.info, err = facts(w, o, model)
	w.info.Backend, w.info.BackendInfo = name, w.about()
	if err == nil {
		err = w.join(ctx, o, &w.info)
	}
	return w, err
}

// openBatches opens a session that runs the workload batch by batch, and returns what makes its workers.
func (w *opened) openBatches(ctx context.Context, o sdk.Options, out *outbox) (func() warmer, error) {
	request := batch.Request{
		Scenario: o.Scenario, Batch: o.Batch, Sessions: o.Sessions, Preferred: sizeRule(w.workload).Batch, CPUs: runtime.GOMAXPROCS(0),
		Devices: len(o.Devices),
	}
	config := request.Config()
	config.Options, config.ModelName = o.BackendOptions, o.Model
	session, err := w.source.session(ctx, w.workload.Model(), config, o.Devices)
	if err != nil {
		return nil, err
	}
	w.engine = session
	w.policy = batch.Choose(request, session.Limits())
	if isRunner(w.workload) {
		w.policy = alone(w.policy)
	}
	w.warm = w.policy.Sessions
	w.measure(o.Network)
	return func() warmer { return newWorker(w, session, out.answer) }, nil
}

// openStreams opens a generator that answers the workload prompt by prompt, and returns what makes its workers.
func (w *opened) openStreams(ctx context.Context, o sdk.Options, out *outbox) (func() warmer, error) {
	generator, err := w.source.generator(ctx, w.workload, o)
	if err != nil {
		return nil, err
	}
	w.engine = generator
	w.policy = streams(o, generator.Limits())
	w.together = generator.Limits().MaxBatch
	w.warm = min(w.policy.Sessions, mostWarmStreams)
	return func() warmer {
		return &generating{workload: w.workload.(sdk.Generative), generator: generator, library: w.library, outbox: out}
	}, nil
}

func (s *service) openWorkload(ctx context.Context, o sdk.Options) (w sdk.Workload, err error) {
	defer batch.Recover(&err, func() string { return "Open" })
	return s.benchmark.Open(ctx, o)
}

// warmer is a batch.Worker that can run an untimed sample.
type warmer interface {
	batch.Worker
	// warmUp runs n copies of sample and drops the answers.
	warmUp(ctx context.Context, sample sdk.Sample, n int) error
}

func (w *opened) start(newWorker func() warmer, o *outbox) {
	w.scheduler = batch.New(w.lookout.watch.Over(context.Background()), w.policy, func() batch.Worker {
		k := newWorker()
		w.workers = append(w.workers, k)
		return k
	}, func(err error) {
		printStack(err)
		o.fail(err)
	})
	w.lookout.scheduler.Store(w.scheduler)
}

// warmUp runs the model on every session, where the workload has a sample for it. No sample may be issued meanwhile.
func (w *opened) warmUp(ctx context.Context) error {
	warm, ok := w.workload.(sdk.WarmSampler)
	if !ok {
		return nil
	}
	sample := warm.WarmSample()
	faults := make([]error, w.warm)
	devices := len(shares(w.engine)) // each must get its turns
	rounds := warmUpRounds * max(1, (devices+w.warm-1)/w.warm)
	var running sync.WaitGroup
	for i, k := range w.workers[:w.warm] {
		running.Go(func() {
			defer backend.Await(ctx, backend.Wait{For: "the warm-up of a session"}).End()
			for n := 0; n < rounds && faults[i] == nil; n++ {
				faults[i] = k.warmUp(ctx, sample, w.warmBatch(sample))
			}
		})
	}
	running.Wait()
	if several, ok := w.engine.(shared); ok {
		several.Restart()
	}
	return errors.Join(distinct(faults)...)
}

// load loads samples on all cores.
func (w *opened) load(ctx context.Context, indices []loadgen.SampleIndex) error {
	useProcessors(w.processors.prepare)
	defer useProcessors(w.processors.answer)
	return w.library.Load(ctx, indices)
}

// distinct keeps one of the errors that read alike: all workers fail for the same reason.
func distinct(errs []error) []error {
	seen := map[string]bool{}
	return slices.DeleteFunc(errs, func(err error) bool {
		if err == nil || seen[err.Error()] {
			return true
		}
		seen[err.Error()] = true
		return false
	})
}

// close ends the work, then the session or generator, then the workload. Parts that were never opened are skipped.
func (w *opened) close() error {
	var errs []error
	if w.scheduler != nil {
		w.scheduler.Close()
		w.lookout.scheduler.Store(nil)
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

// facts gathers what was opened; model is the entry of the description.
func facts(w *opened, o sdk.Options, model sdk.ModelInfo) (sdk.WorkloadInfo, error) {
	m := w.workload.Model()
	info := sdk.WorkloadInfo{
		Model:                  model.Name,
		ModelFile:              cmp.Or(o.ModelFile, m.Path, m.Name),
		Embedded:               m.Path == "",
		Precision:              o.Precision,
		Dataset:                cmp.Or(o.Dataset, embeddedDataset(model)),
		DatasetSize:            w.workload.Len(),
		PerformanceSampleCount: w.workload.PerformanceSampleCount(),
		Batch:                  max(w.policy.MaxBatch, w.together),
		Sessions:               w.policy.Sessions,
	}
	if len(w.nodesOf()) == 0 {
		var err error
		if info.ModelSHA256, info.ModelSize, err = checksum(m); err != nil {
			return info, sdk.Data(fmt.Errorf("checksum of the model: %w", err))
		}
	}
	for _, f := range model.Files {
		if f.Name == info.ModelFile || f.SHA256 != "" && f.SHA256 == info.ModelSHA256 {
			info.ModelFile, info.Precision = f.Name, cmp.Or(f.Precision, info.Precision)
			break
		}
	}
	if i, ok := w.workload.(sdk.Informer); ok {
		i.Inform(&info)
	}
	return info, nil
}

func embeddedDataset(m sdk.ModelInfo) string {
	if i := slices.IndexFunc(m.Datasets, func(d sdk.DatasetInfo) bool { return d.Embedded }); i >= 0 {
		return m.Datasets[i].Name
	}
	return ""
}

// about is what the session or generator says of itself, which knows what this run uses; else what a generator's session
// says, or else the backend.
func (w *opened) about() map[string]string {
	d, ok := w.engine.(backend.Describer)
	if !ok && len(w.source.sessions) > 0 {
		d, ok = w.source.sessions[0].(backend.Describer)
	}
	if !ok {
		d, ok = w.source.backend.(backend.Describer)
	}
	if !ok {
		return nil
	}
	about := d.Describe()
	info := map[string]string{}
	for k, v := range about.Details {
		info[k] = v
	}
	if about.Version != "" {
		info["version"] = about.Version
	}
	if len(about.Devices) > 0 {
		info["devices"] = strings.Join(about.Devices, ", ")
	}
	return info
}

func isRunner(w sdk.Workload) bool {
	_, ok := w.(sdk.Runner)
	return ok
}

// alone is a policy for workers that take one sample at a time and have nothing to prepare ahead.
func alone(p batch.Policy) batch.Policy {
	p.MaxBatch, p.Workers = 1, p.Sessions
	return p
}

// newBatchFor returns a batch for a session: in memory of the session's own, where it has some.
func newBatchFor(s backend.Session) *sdk.Batch {
	if stager, ok := s.(backend.Stager); ok {
		return sdk.StagedBatch(s.Inputs(), stager.Stage())
	}
	return sdk.NewBatch(s.Inputs())
}
