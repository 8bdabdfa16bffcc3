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
)

// powercapFolder is the folder of the processors' energy counters in Linux (RAPL, running average power limit).
const powercapFolder = "/sys/class/powercap"

// raplSource reads the counters of the processors' packages: cores, caches, memory controllers, and in some processors
// graphics. The counters do not include memory, disks, cards, fans and the loss of the power supply.
type raplSource struct {
	root    string
	domains []raplDomain
}

// raplDomain is the energy counter of one package, in microjoules. It wraps around at size.
type raplDomain struct {
	name, path string
	wrapsAt    uint64
}

// packageFolder matches the folder of a whole package's counter, such as intel-rapl:0. That folder contains the
// package's parts (intel-rapl:0:0), which the counter includes. The folders intel-rapl-mmio:N repeat the same counters.
// AMD's counters have the same names.
var packageFolder = regexp.MustCompile(`^intel-rapl:\d+$`)

func (r *raplSource) String() string {
	names := make([]string, len(r.domains))
	for i, d := range r.domains {
		names[i] = d.name
	}
	return "rapl (" + strings.Join(names, ", ") + ")"
}

func (r *raplSource) check() error {
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

// openDomain reads the name, the range and once the value of a counter. It returns false for ok if the counter does not
// belong to a package. (psys belongs to the whole board and includes the packages.)
func openDomain(dir string) (d raplDomain, ok bool, err error) {
	name, err := os.ReadFile(filepath.Join(dir, "name"))
	if err != nil {
		return d, false, err
	}
	d = raplDomain{name: strings.TrimSpace(string(name)), path: filepath.Join(dir, "energy_uj")}
	if !strings.HasPrefix(d.name, "package") {
		return d, false, nil
	}
	if d.wrapsAt, err = readCounter(filepath.Join(dir, "max_energy_range_uj")); err != nil {
		return d, false, err
	}
	_, err = d.read()
	return d, err == nil, err
}

func (d raplDomain) read() (uint64, error) {
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

// read returns the mean power of each interval at the interval's end.
func (r *raplSource) read(ctx context.Context, interval time.Duration, give func(watts float64)) error {
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

func (r *raplSource) readAll() ([]uint64, error) {
	values := make([]uint64, len(r.domains))
	for i, d := range r.domains {
		var err error
		if values[i], err = d.read(); err != nil {
			return nil, fmt.Errorf("%s: %w", d.name, err)
		}
	}
	return values, nil
}

// watts returns the sum of all packages' power. It returns 0, which is not a valid reading, if a counter did not
// change, because a running processor always uses energy.
func (r *raplSource) watts(before, after []uint64, took time.Duration) float64 {
	sum := uint64(0)
	for i, d := range r.domains {
		used := d.usedEnergy(before[i], after[i])
		if used == 0 {
			return 0
		}
		sum += used
	}
	return float64(sum) / 1e6 / took.Seconds()
}

// usedEnergy returns the energy between two values of the counter. The counter wraps around once at most, because its
// range lasts for minutes.
func (d raplDomain) usedEnergy(before, after uint64) uint64 {
	if after < before {
		return after + d.wrapsAt - before
	}
	return after - before
}
