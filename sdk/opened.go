package sdk

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/batch"
)

// warmUpRounds is how often each worker runs before the clock starts: once to allocate, once as it will be.
const warmUpRounds = 2

// opened is a workload with its backend session, its samples and its scheduler.
type opened struct {
	workload  Workload
	session   backend.Session
	library   *batch.Library[Sample]
	policy    batch.Policy
	workers   []*worker
	scheduler *batch.Scheduler
	info      WorkloadInfo
}

// open opens what o asks for. fail is called once if a batch fails.
func (s *service) open(ctx context.Context, o Options) (_ *opened, err error) {
	model, errModel := s.description.model(o.Model)
	name, b, errBackend := s.backends.find(o.Backend)
	if err := errors.Join(errModel, errBackend); err != nil {
		return nil, err
	}
	w := &opened{}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close())
		}
	}()
	if w.workload, err = s.openWorkload(ctx, o); err != nil {
		return nil, err
	}
	request := batch.Request{
		Scenario: o.Scenario, Batch: o.Batch, Sessions: o.Sessions, Preferred: sizeRule(w.workload).Batch, CPUs: runtime.GOMAXPROCS(0),
	}
	file := w.workload.Model()
	if w.session, err = openSession(ctx, b, file, request, o.BackendOptions); err != nil {
		return nil, err
	}
	w.policy = batch.Choose(request, w.session.Limits())
	if _, ok := w.workload.(Runner); ok {
		w.policy = alone(w.policy)
	}
	w.library = batch.NewLibrary(w.workload.Len(), w.workload.Load)
	w.measure()
	w.start(s.outbox)
	w.info, err = facts(w, o, model, file)
	w.info.Backend, w.info.BackendInfo = name, describeBackend(w.session, b)
	return w, err
}

func (s *service) openWorkload(ctx context.Context, o Options) (w Workload, err error) {
	defer batch.Recover(&err, func() string { return "Open" })
	return s.benchmark.Open(ctx, o)
}

func openSession(ctx context.Context, b backend.Backend, m backend.Model, r batch.Request, options map[string]string) (s backend.Session, err error) {
	defer batch.Recover(&err, func() string { return "the backend's Open" })
	config := r.Config()
	config.Options = options
	if s, err = b.Open(ctx, m, config); err != nil {
		return nil, fmt.Errorf("open model %s: %w", cmp.Or(m.Name, m.Path), err)
	}
	return s, nil
}

func (w *opened) start(o *outbox) {
	w.scheduler = batch.New(context.Background(), w.policy, func() batch.Worker {
		k := newWorker(w.workload, w.session, w.library, o.answer)
		w.workers = append(w.workers, k)
		return k
	}, func(err error) {
		printStack(err)
		o.fail(err)
	})
}

// warmUp runs the model on every session, where the workload has a sample for it. No sample may be issued meanwhile.
func (w *opened) warmUp(ctx context.Context) error {
	warm, ok := w.workload.(WarmSampler)
	if !ok {
		return nil
	}
	sample := warm.WarmSample()
	faults := make([]error, w.policy.Sessions)
	var running sync.WaitGroup
	for i, k := range w.workers[:min(w.policy.Sessions, len(w.workers))] {
		running.Go(func() {
			for range warmUpRounds {
				faults[i] = errors.Join(faults[i], k.warmUp(ctx, sample, w.warmBatch(sample)))
			}
		})
	}
	running.Wait()
	return errors.Join(faults...)
}

// close ends the work, then the session, then the workload. Parts that were never opened are skipped.
func (w *opened) close() error {
	var errs []error
	if w.scheduler != nil {
		w.scheduler.Close()
	}
	if w.library != nil {
		errs = append(errs, w.library.Clear())
	}
	if w.session != nil {
		errs = append(errs, w.session.Close())
	}
	if w.workload != nil {
		errs = append(errs, w.workload.Close())
	}
	return errors.Join(errs...)
}

// facts gathers what was opened: model is the entry of the description, m the file.
func facts(w *opened, o Options, model ModelInfo, m backend.Model) (WorkloadInfo, error) {
	info := WorkloadInfo{
		Model:                  model.Name,
		ModelFile:              cmp.Or(o.ModelFile, m.Path, m.Name),
		Embedded:               m.Path == "",
		Precision:              o.Precision,
		Dataset:                cmp.Or(o.Dataset, embeddedDataset(model)),
		DatasetSize:            w.workload.Len(),
		PerformanceSampleCount: w.workload.PerformanceSampleCount(),
		Batch:                  w.policy.MaxBatch,
		Sessions:               w.policy.Sessions,
	}
	var err error
	if info.ModelSHA256, info.ModelSize, err = checksum(m); err != nil {
		return info, Data(fmt.Errorf("checksum of the model: %w", err))
	}
	for _, f := range model.Files {
		if f.SHA256 == info.ModelSHA256 || f.Name == info.ModelFile {
			info.ModelFile, info.Precision = f.Name, cmp.Or(f.Precision, info.Precision)
			break
		}
	}
	if i, ok := w.workload.(Informer); ok {
		i.Inform(&info)
	}
	return info, nil
}

// model finds a model by name, in any case; the default where name is empty.
func (d Description) model(name string) (ModelInfo, error) {
	var names []string
	for _, m := range d.Models {
		if name == "" || strings.EqualFold(m.Name, name) {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return ModelInfo{}, Usage(fmt.Errorf("unknown model %q, plugin %s has %s", name, d.Name, strings.Join(names, ", ")))
}

func embeddedDataset(m ModelInfo) string {
	if i := slices.IndexFunc(m.Datasets, func(d DatasetInfo) bool { return d.Embedded }); i >= 0 {
		return m.Datasets[i].Name
	}
	return ""
}

// describeBackend asks the session, which knows what this run uses, or else the backend.
func describeBackend(session backend.Session, b backend.Backend) map[string]string {
	d, ok := session.(backend.Describer)
	if !ok {
		d, ok = b.(backend.Describer)
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

// checksum returns the SHA-256 and the size in bytes of a model.
func checksum(m backend.Model) (string, int64, error) {
	h := sha256.New()
	if m.Path == "" {
		h.Write(m.Bytes)
		return hex.EncodeToString(h.Sum(nil)), int64(len(m.Bytes)), nil
	}
	stat, err := os.Stat(m.Path)
	if err != nil || !stat.Mode().IsRegular() {
		return "", 0, err // a backend may take a folder or an address
	}
	f, err := os.Open(m.Path)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = f.Close() }()
	n, err := io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), n, err
}
