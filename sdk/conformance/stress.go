package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// checkLoading checks special cases of loading and unloading.
func checkLoading(ctx context.Context, v *pluginVisit) (string, error) {
	p, m, err := v.startPlugin(ctx)
	if err != nil {
		return "", err
	}
	w, err := v.openWorkload(ctx, p, mainScenario(m))
	if err != nil {
		return "", err
	}
	c, q := newClient(p, w), w.QSL()
	outside := []loadgen.SampleIndex{loadgen.SampleIndex(c.size)}
	if err := q.LoadSamplesToRAM(ctx, outside); err == nil {
		return "", fmt.Errorf("sample %d of %d was loaded, want an error", c.size, c.size)
	}
	one := []loadgen.SampleIndex{0}
	// MultiStream loads some samples twice; after the first unloading they must still be loaded.
	err = errors.Join(q.LoadSamplesToRAM(ctx, one), q.LoadSamplesToRAM(ctx, one), q.UnloadSamplesFromRAM(ctx, one))
	if err == nil {
		_, err = c.runQuery(ctx, one)
	}
	if err == nil {
		err = q.UnloadSamplesFromRAM(ctx, one)
	}
	if err != nil {
		return "", fmt.Errorf("a sample that is loaded twice and unloaded once: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, v.subject.Patience)
	defer cancel()
	if _, err := c.runQuery(ctx, one); err == nil {
		return "", errors.New("a sample that is not loaded was answered, want an error that names it")
	} else if ctx.Err() != nil {
		return "", fmt.Errorf("a sample that is not loaded gave neither answer nor error in %v", v.subject.Patience)
	}
	return "out of range, loaded twice, not loaded", nil
}

const (
	// floodSamples is more than any machine answers during the check.
	floodSamples = 2_000_000
	// floodTime is the duration of the check. It is longer while the plugin grows.
	floodTime = 3 * time.Second
	// floodCalm is the time without growth, apart from noise of floodNoise bytes, that ends the check.
	floodCalm  = time.Second
	floodNoise = 1 << 20
	// floodInterval is the time between two measurements of the memory.
	floodInterval = 100 * time.Millisecond
	// floodBytes is the maximum growth of the plugin during the check, for its queue and the current samples.
	floodBytes = 256 << 20
)

func checkBackPressure(ctx context.Context, v *pluginVisit) (string, error) {
	c, err := v.openClient(ctx)
	if err != nil {
		return "", err
	}
	if _, err := c.runQuery(ctx, c.samplesFrom(0, c.samplesToFill())); err != nil { // grow to the working size
		return "", err
	}
	before, err := residentBytes(c.plugin.PID())
	if err != nil {
		return "", skipCheck("%v", err)
	}
	flood := make([]loadgen.SampleIndex, floodSamples)
	for i := range flood {
		flood[i] = loadgen.SampleIndex(i % c.size)
	}
	ctx, cancel := c.plugin.Context(ctx)
	defer cancel()
	issued := make(chan error, 1)
	go func() { // a correct plugin blocks here until it has room
		_, err := c.issueQueries(ctx, flood, len(flood))
		issued <- err
	}()
	start := time.Now()
	grown, err := c.measureGrowth(ctx, before, v.subject.Patience)
	if err != nil {
		return "", err
	}
	if grown > floodBytes {
		return "", fmt.Errorf("the process grew by %d MB while %d samples waited, want at most %d: take samples in only as "+
			"fast as they are answered",
			grown>>20, floodSamples, floodBytes>>20)
	}
	found := fmt.Sprintf("%d of %d samples answered in %v, %d MB more", c.answeredCount(), floodSamples,
		time.Since(start).Round(floodInterval), max(grown, 0)>>20)
	if err := c.workload.Close(); err != nil {
		return "", fmt.Errorf("close with samples waiting: %w", err)
	}
	select {
	case <-issued: //nolint:errcheck // nil, or an error because the workload is closed
	case <-time.After(v.subject.Patience):
		return "", fmt.Errorf("a query still waits for room %v after the workload was closed", v.subject.Patience)
	}
	return found, nil
}

// measureGrowth returns the plugin's growth while samples wait, after floodTime or when it stops growing. A plugin that
// accepts samples without limit on a busy machine grows slowly. maxTime limits the time.
func (c *queryClient) measureGrowth(ctx context.Context, before int64, maxTime time.Duration) (int64, error) {
	start := time.Now()
	peak, rose := before, start
	for {
		select {
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		case <-time.After(floodInterval):
		}
		now, err := residentBytes(c.plugin.PID())
		if err != nil {
			return 0, fmt.Errorf("the process is gone: %w", err)
		}
		if now > peak+floodNoise {
			peak, rose = now, time.Now()
		}
		grown, took := now-before, time.Since(start)
		if took > floodTime && (grown > floodBytes || took > maxTime || time.Since(rose) > floodCalm) {
			return grown, nil
		}
	}
}

// samplesToFill returns the number of samples that make the plugin use all its memory: a full batch in each session,
// and one that waits.
func (c *queryClient) samplesToFill() int {
	info := c.workload.Info()
	return max(c.size, min(info.Batch*(info.Sessions+1), floodSamples))
}

func checkCancellation(ctx context.Context, v *pluginVisit) (string, error) {
	p, m, err := v.startPlugin(ctx)
	if err != nil {
		return "", err
	}
	c, err := v.clientOf(ctx, p, mainScenario(m))
	if err != nil {
		return "", err
	}
	many := make([]loadgen.SampleIndex, 0, 50*c.size)
	for range 50 {
		many = append(many, c.allSamples()...)
	}
	if _, err := c.issueQueries(ctx, many, len(many)); err != nil {
		return "", err
	}
	start := time.Now()
	ended := make(chan error, 1)
	go func() { ended <- c.workload.Close() }()
	select {
	case err = <-ended:
	case <-time.After(v.subject.Patience):
		return "", fmt.Errorf("its Close takes more than %v while %d samples wait: drop what is queued", v.subject.Patience,
			len(many))
	}
	if err != nil {
		return "", fmt.Errorf("close in mid-run: %w", err)
	}
	took := time.Since(start)
	next, err := v.clientOf(ctx, p, mainScenario(m))
	if err == nil {
		_, err = next.runQuery(ctx, next.allSamples())
	}
	if err != nil {
		return "", fmt.Errorf("the run after one that was called off: %w", err)
	}
	return fmt.Sprintf("closed in %v, the next run works", took.Round(time.Millisecond)), nil
}

func checkKill(ctx context.Context, v *pluginVisit) (string, error) {
	c, err := v.openClient(ctx)
	if err != nil {
		return "", err
	}
	watched, cancel := c.plugin.Context(ctx)
	defer cancel()
	twice := append(c.allSamples(), c.allSamples()...)
	if _, err := c.issueQueries(ctx, twice, len(twice)); err != nil {
		return "", err
	}
	if err := killProcess(c.plugin.PID()); err != nil {
		return "", err
	}
	select {
	case <-watched.Done():
	case <-time.After(v.subject.Patience):
		return "", fmt.Errorf("its end goes unnoticed for %v", v.subject.Patience)
	}
	var failure *host.PluginError
	if !errors.As(context.Cause(watched), &failure) || failure.Kind != host.KindDied {
		//nolint:errorlint // it may be nil
		return "", fmt.Errorf("the cause is %v, want that it died", context.Cause(watched))
	}
	if err := c.plugin.Close(); err != nil {
		return "", err
	}
	again, err := v.openClient(ctx)
	if err == nil {
		_, err = again.runQuery(ctx, again.allSamples())
	}
	if err != nil {
		return "", fmt.Errorf("after the kill: %w", err)
	}
	return failure.Found + "; it starts again", nil
}

func killProcess(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Kill()
}

// checkLeftovers searches for processes and files that remain after a plugin was closed.
func checkLeftovers(ctx context.Context, v *pluginVisit) (string, error) {
	files := v.dir + "/tmp"
	if err := os.Mkdir(files, 0o700); err != nil {
		return "", err
	}
	mark := "PLUMBLINE_VERIFY_MARK=" + v.dir
	v.subject.Env = append(v.subject.Env, mark, "TMPDIR="+files)
	c, err := v.openClient(ctx)
	if err != nil {
		return "", err
	}
	if _, err := c.runQuery(ctx, c.allSamples()); err != nil {
		return "", err
	}
	if err := c.plugin.Close(); err != nil {
		return "", err
	}
	left, err := os.ReadDir(files)
	if err != nil {
		return "", err
	}
	if len(left) > 0 {
		return "", fmt.Errorf("files are left in the temporary directory (%d, such as %s): remove them in Close", len(left),
			left[0].Name())
	}
	processes, known := processesWithVariable(mark)
	for _, p := range processes {
		_ = killProcess(p) // it has the mark of this check
	}
	if len(processes) > 0 {
		return "", fmt.Errorf("processes are left (%d, such as %d): end them in Close", len(processes), processes[0])
	}
	if !known {
		return "no file is left; whether a process is cannot be seen here", nil
	}
	return "none", nil
}
