package ort

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// deviceName is a parsed Config.Device: an execution provider, followed by a colon and the cores of the CPU or one of
// the provider's devices. The zero value means that no device is named.
type deviceName struct {
	name     string // as the user wrote it
	provider executionProvider
	id       string  // id of the provider's device, in its shortest form; empty: the provider's choice
	cores    coreSet // cores of "cpu:LIST"; empty: any
}

// parseDevice parses a device name.
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

// parseDeviceID checks the name of one of the provider's devices and returns its shortest form.
func (p executionProvider) parseDeviceID(id string) (string, error) {
	switch p.deviceOption {
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

// canonicalName returns the same text for all names of a device.
func (d deviceName) canonicalName() string {
	if d.provider.deviceOption == deviceNumber && d.id == "" {
		return d.provider.name + ":0" // the provider's default device
	}
	return d.provider.name + ":" + d.id
}

// CheckDevices checks the names against one another and against the options. Faults are several names of one device,
// cores that two devices share, cores that this process may not use, and a provider or device that an option also
// names.
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

// describeDevices lists the library's devices if there is a library.
func (b Backend) describeDevices(lib string) string {
	l, ok := process.loadedLibrary()
	if !ok {
		path, err := findLibrary(lib, b.Library)
		if err == nil {
			l, err = probeLibrary(path)
		}
		if err != nil {
			return ""
		}
	}
	return "\nONNX Runtime " + l.version + " has the devices " + strings.Join(l.deviceNames(), ", ")
}

// checkCores checks that the cores of the name are available.
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

// newBinding returns a binding of the threads that call the device's runs to its cores, or to the first core of own if
// each thread of a run has its own core; nil: no binding.
func (d deviceName) newBinding(own []int) (*threadBinding, error) {
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

// checkOptions lists the options that also select a device.
func (d deviceName) checkOptions(options map[string]string) error {
	var faults []error
	if p, given := options["provider"]; given && p != d.provider.name {
		faults = append(faults, fmt.Errorf("device %s and option provider=%s exclude each other", d.name, p))
	}
	key := "provider." + d.provider.deviceOption
	if value, given := options[key]; given && d.id != "" {
		faults = append(faults, fmt.Errorf("device %s and option %s=%s name the same thing twice", d.name, key, value))
	}
	return errors.Join(faults...)
}

// checkOverlap returns an error if two devices of one run overlap.
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

// useDevice applies the device that c names, if it names one.
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
		s.providerOptions[d.provider.deviceOption] = d.id
	}
	return nil
}
