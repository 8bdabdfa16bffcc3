package ort

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// deviceName is what Config.Device names: an execution provider, and behind a colon the cores of the CPU, or which of
// the provider's devices. The zero value is none.
type deviceName struct {
	name     string // as given
	provider executionProvider
	id       string  // of the provider's device, in its shortest form; empty: the provider's choice
	cores    coreSet // of "cpu:LIST"; empty: any
}

// parseDevice reads a name.
func parseDevice(name string) (deviceName, error) {
	kind, id, has := strings.Cut(name, ":")
	d := deviceName{name: name}
	var err error
	switch d.provider, err = findProvider(kind); {
	case err != nil:
		return d, fmt.Errorf("device %s: %w; a device is cpu, cpu:CORES (0-7+16-23), cuda:NUMBER or PROVIDER:DEVICE",
			name, err)
	case has && id == "":
		return d, fmt.Errorf("device %s: nothing follows the colon", name)
	case !has:
		return d, nil
	case kind == defaultProvider:
		d.cores, err = parseCores(id)
	default:
		d.id, err = d.provider.parseDeviceID(id)
	}
	if err != nil {
		return d, fmt.Errorf("device %s: %w", name, err)
	}
	return d, nil
}

// parseDeviceID checks the name of one of the provider's devices.
func (p executionProvider) parseDeviceID(id string) (string, error) {
	switch p.chooser {
	case "":
		return "", fmt.Errorf("the provider %s has no devices to choose from; name it %s", p.name, p.name)
	case deviceNumber:
		n, err := strconv.ParseUint(id, 10, 16)
		if err != nil {
			return "", fmt.Errorf("%q, want the number of a device, from 0", id)
		}
		return strconv.FormatUint(n, 10), nil
	}
	return id, nil
}

// canonicalName is the same for two names of one device.
func (d deviceName) canonicalName() string {
	if d.provider.chooser == deviceNumber && d.id == "" {
		return d.provider.name + ":0" // the provider's default
	}
	return d.provider.name + ":" + d.id
}

// CheckDevices reads the names and compares them with one another and with the options: names of one device, cores that
// two devices share, cores that this process may not use, a provider or a device that an option also names.
func (b Backend) CheckDevices(names []string, options map[string]string) error {
	var faults []error
	var all []deviceName
	for _, name := range names {
		d, err := parseDevice(name)
		if err == nil {
			err = errors.Join(d.checkCores(), d.checkOptions(options))
		}
		if err != nil {
			faults = append(faults, err)
			continue
		}
		for _, other := range all {
			faults = append(faults, d.checkOverlap(other))
		}
		all = append(all, d)
	}
	if err := errors.Join(faults...); err != nil {
		return fmt.Errorf("%w: %w%s", backend.ErrOption, err, b.describeDevices(options["lib"]))
	}
	return nil
}

// describeDevices says which devices the library has, where there is one.
func (b Backend) describeDevices(lib string) string {
	l, ok := process.loadedLibrary()
	if !ok {
		path, err := findLibrary(lib, b.Library)
		if err == nil {
			l, err = probe(path)
		}
		if err != nil {
			return ""
		}
	}
	return "\nONNX Runtime " + l.version + " has the devices " + strings.Join(l.deviceNames(), ", ")
}

// checkCores compares the cores of the name with those there are.
func (d deviceName) checkCores() error {
	if d.cores.count() == 0 {
		return nil
	}
	allowed, err := allowedCores()
	if err != nil {
		return fmt.Errorf("device %s: %w", d.name, err)
	}
	if missing := d.cores.without(allowed); missing.count() > 0 {
		return fmt.Errorf("device %s: this process may not use the cores %v; it has %v", d.name, missing, allowed)
	}
	return nil
}

// newBinding makes what keeps the calling threads of the device's runs on its cores, or on the first of those that each
// thread has to itself; nil: they may be anywhere.
func (d deviceName) newBinding(own []int) (*binding, error) {
	if len(own) > 0 {
		var first coreSet
		first.add(own[0])
		return newBinding(first)
	}
	if d.cores.count() == 0 {
		return nil, nil
	}
	return newBinding(d.cores)
}

// checkOptions says which options name a place as well.
func (d deviceName) checkOptions(options map[string]string) error {
	var faults []error
	if p, given := options["provider"]; given && p != d.provider.name {
		faults = append(faults, fmt.Errorf("device %s and option provider=%s exclude each other", d.name, p))
	}
	key := "provider." + d.provider.chooser
	if value, given := options[key]; given && d.id != "" {
		faults = append(faults, fmt.Errorf("device %s and option %s=%s name the same thing twice", d.name, key, value))
	}
	return errors.Join(faults...)
}

// checkOverlap says what two devices of one run share.
func (d deviceName) checkOverlap(o deviceName) error {
	if d.provider.name != defaultProvider || o.provider.name != defaultProvider {
		if d.canonicalName() == o.canonicalName() {
			return fmt.Errorf("devices %s and %s are the same", o.name, d.name)
		}
		return nil
	}
	if d.cores.count() == 0 || o.cores.count() == 0 {
		return fmt.Errorf("devices %s and %s share cores: cpu without a list is all of them", o.name, d.name)
	}
	if both := d.cores.intersect(o.cores); both.count() > 0 {
		return fmt.Errorf("devices %s and %s share the cores %v: each core belongs to one device", o.name, d.name, both)
	}
	return nil
}

// useDevice makes the settings those of the device that c names, if it names one.
func (s *ortSettings) useDevice(c backend.Config) error {
	if c.Device == "" {
		return nil
	}
	d, err := parseDevice(c.Device)
	if err == nil {
		err = errors.Join(d.checkCores(), d.checkOptions(c.Options))
	}
	if err != nil {
		return fmt.Errorf("%w: %w", backend.ErrOption, err)
	}
	s.device, s.provider = d, d.provider.name
	if d.id != "" {
		s.given[d.provider.chooser] = d.id
	}
	return nil
}
