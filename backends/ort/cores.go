package ort

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// maxCores is the number of cores in the kernel's affinity mask.
const maxCores = 1024

// coreSet is a set of CPU cores, numbered by the system from 0.
type coreSet [maxCores / 64]uint64

func (c *coreSet) add(core int)     { c[core/64] |= 1 << (core % 64) }
func (c coreSet) has(core int) bool { return c[core/64]&(1<<(core%64)) != 0 }

// count returns the number of cores.
func (c coreSet) count() (n int) {
	for _, word := range c {
		n += bits.OnesCount64(word)
	}
	return n
}

// intersect returns the cores that both sets contain.
func (c coreSet) intersect(o coreSet) (both coreSet) {
	for i := range c {
		both[i] = c[i] & o[i]
	}
	return both
}

// without returns the cores in c that are not in o.
func (c coreSet) without(o coreSet) (rest coreSet) {
	for i := range c {
		rest[i] = c[i] &^ o[i]
	}
	return rest
}

// parseCores parses a list in the form of String: numbers and ranges joined by plus signs, because commas separate
// devices. A repeated core is an error.
func parseCores(list string) (coreSet, error) {
	var all coreSet
	for part := range strings.SplitSeq(list, "+") {
		first, last, err := parseRange(part)
		if err != nil {
			return all, fmt.Errorf("%q: %w", part, err)
		}
		for core := first; core <= last; core++ {
			if all.has(core) {
				return all, fmt.Errorf("core %d is listed twice", core)
			}
			all.add(core)
		}
	}
	return all, nil
}

var errCores = errors.New("want core numbers and ranges joined by +, as in 0-7+16-23")

func parseRange(part string) (first, last int, err error) {
	from, to, isRange := strings.Cut(part, "-")
	if !isRange {
		to = from
	}
	if first, err = parseCore(from); err == nil {
		last, err = parseCore(to)
	}
	switch {
	case err != nil:
		return 0, 0, err
	case first > last:
		return 0, 0, fmt.Errorf("the range ends before it begins; %w", errCores)
	}
	return first, last, nil
}

func parseCore(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 32)
	switch {
	case errors.Is(err, strconv.ErrRange), err == nil && n >= maxCores:
		return 0, fmt.Errorf("core %s, want a number below %d", text, maxCores)
	case err != nil:
		return 0, errCores
	}
	return int(n), nil
}

// String returns the list in its shortest form: 0-7+16-23. It returns "" for the empty set.
func (c coreSet) String() string {
	var parts []string
	for core := 0; core < maxCores; core++ {
		if !c.has(core) {
			continue
		}
		first := core
		for core+1 < maxCores && c.has(core+1) {
			core++
		}
		part := strconv.Itoa(first)
		if core > first {
			part += "-" + strconv.Itoa(core)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "+")
}
