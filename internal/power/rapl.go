package power

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/lists"
)

// powercap is where Linux shows the energy counters of processors (RAPL, running average power limit).
const powercap = "/sys/class/powercap"

// rapl reads the counters of the processors' packages: cores, caches, memory controllers, on some also graphics. Not
// in them: memory, disks, cards, fans, and what the power supply loses.
type rapl struct {
	root    string
	domains []domain
}

// domain is the counter of one package, in microjoules; it starts over at its range.
type domain struct {
	name, path string
	size       uint64
}

// packageFolder matches a counter of a whole package: intel-rapl:0. Below it are its parts (intel-rapl:0:0), which it
// contains, and beside it those of intel-rapl-mmio, which is the same counter once more. AMD's have Intel's names.
var packageFolder = regexp.MustCompile(`^intel-rapl:\d+$`)

func (r *rapl) String() string {
	return "rapl (" + strings.Join(lists.Map(r.domains, func(d domain) string { return d.name }), ", ") + ")"
}

func (r *rapl) check() error {
	entries, err := os.ReadDir(r.root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var faults []error
	for _, e := range entries {
		if !packageFolder.MatchString(e.Name()) {
			continue
		}
		d, ok, err := openDomain(filepath.Join(r.root, e.Name()))
		if ok {
			r.domains = append(r.domains, d)
		}
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	if len(r.domains) == 0 {
		return fmt.Errorf("found no energy counter of a processor in %s (intel-rapl:N with the name package-N), on %s: "+
			"virtual machines and containers have none as a rule; measure with cmd:COMMAND or file:SPL", r.root, runtime.GOOS)
	}
	return nil
}

// openDomain reads what a counter is called, its range, and its value once. It is not ok where it is of something else
// than a package: psys is of the whole board, and contains them.
func openDomain(dir string) (d domain, ok bool, err error) {
	name, err := os.ReadFile(filepath.Join(dir, "name"))
	if err != nil {
		return d, false, err
	}
	d = domain{name: strings.TrimSpace(string(name)), path: filepath.Join(dir, "energy_uj")}
	if !strings.HasPrefix(d.name, "package") {
		return d, false, nil
	}
	if d.size, err = readCounter(filepath.Join(dir, "max_energy_range_uj")); err != nil {
		return d, false, err
	}
	_, err = d.read()
	return d, err == nil, err
}

func (d domain) read() (uint64, error) {
	v, err := readCounter(d.path)
	if errors.Is(err, fs.ErrPermission) {
		err = fmt.Errorf("%w: only root may read energy counters as a rule; allow it until the next start with "+
			"chmod a+r %s, or run as root", err, filepath.Join(filepath.Dir(filepath.Dir(d.path)), "intel-rapl:*", "energy_uj"))
	}
	return v, err
}

func readCounter(path string) (uint64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	v, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: found %.40q, want microjoules", path, text)
	}
	return v, nil
}

// read gives the mean power of each interval at its end.
func (r *rapl) read(ctx context.Context, interval time.Duration, give func(watts float64)) error {
	before, err := r.readAll()
	last := time.Now()
	if err != nil {
		return err
	}
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		after, err := r.readAll()
		now := time.Now()
		if err != nil {
			return err
		}
		give(r.watts(before, after, now.Sub(last)))
		before, last = after, now
	}
}

func (r *rapl) readAll() ([]uint64, error) {
	values := make([]uint64, len(r.domains))
	for i, d := range r.domains {
		var err error
		if values[i], err = d.read(); err != nil {
			return nil, fmt.Errorf("%s: %w", d.name, err)
		}
	}
	return values, nil
}

// watts is the sum of all packages' power; 0, which is no reading, where a counter stood still: no processor does.
func (r *rapl) watts(before, after []uint64, took time.Duration) float64 {
	sum := uint64(0)
	for i, d := range r.domains {
		used := d.used(before[i], after[i])
		if used == 0 {
			return 0
		}
		sum += used
	}
	return float64(sum) / 1e6 / took.Seconds()
}

// used is the energy between two values of the counter, which has started over at most once in between: the ranges last
// for minutes.
func (d domain) used(before, after uint64) uint64 {
	if after < before {
		return after + d.size - before
	}
	return after - before
}
