// Package tune finds the fastest batch size, number of sessions and number of threads, and the highest VALID Server
// rate. It saves them in a profile for later runs.
//
// In scope: the grid, its search, the search for the rate, measurements of a plugin, profiles, and the choice of a
// profile for a run. Out of scope: the meaning of a batch or session (the plugin) and of a VALID run (LoadGen).
package tune

import (
	"fmt"
	"slices"
	"strings"
)

// Setting is a point of the grid. A zero leaves the choice to the plugin.
type Setting struct {
	Batch    int `json:"batch"`
	Sessions int `json:"sessions"`
	Threads  int `json:"threads"`
	// Requests is the number of requests in flight if the model is on a server. Sessions exist only on this machine.
	Requests int `json:"requests,omitempty"`
}

// String returns the setting as text: "batch 8, 2 sessions, 1 thread".
func (s Setting) String() string {
	var parts []string
	if s.Batch > 0 {
		parts = append(parts, fmt.Sprintf("batch %d", s.Batch))
	}
	if s.Sessions > 0 {
		parts = append(parts, countText(s.Sessions, "session"))
	}
	if s.Threads > 0 {
		parts = append(parts, countText(s.Threads, "thread"))
	}
	if s.Requests > 0 {
		parts = append(parts, countText(s.Requests, "request")+" in flight")
	}
	if len(parts) == 0 {
		return "the plugin's own choice"
	}
	return strings.Join(parts, ", ")
}

func countText(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// Grid returns every combination of the values, preceded by the plugin's own choice, which a run without a profile
// uses.
func Grid(batches, sessions, threads []int) []Setting {
	if len(threads) == 0 {
		threads = []int{0}
	}
	grid := []Setting{{}}
	for _, t := range threads {
		for _, s := range sessions {
			for _, b := range batches {
				grid = append(grid, Setting{Batch: b, Sessions: s, Threads: t})
			}
		}
	}
	return dropRepeated(grid)
}

// RemoteGrid returns the grid for a model on a server: every combination of the number of requests in flight and the
// number of samples in each. If batches is empty, it leaves the number of samples unchanged.
func RemoteGrid(batches, requests []int) []Setting {
	if len(batches) == 0 {
		batches = []int{0}
	}
	grid := []Setting{{}}
	for _, n := range requests {
		for _, b := range batches {
			grid = append(grid, Setting{Batch: b, Requests: n})
		}
	}
	return dropRepeated(grid)
}

// DefaultRequests returns the default numbers of requests in flight: 1, 2, 4, ... 256.
func DefaultRequests() []int { return Doublings(256) }

// DefaultGrid returns the grid for a backend that runs on a number of cores. The sessions share all cores or half of
// them, which is faster if two hardware threads share a core. If threads is false, the backend does not accept a number
// of threads, and the grid includes up to four sessions per core.
func DefaultGrid(batches []int, cores int, threads bool) []Setting {
	cores = max(cores, 1)
	grid := []Setting{{}}
	if !threads {
		return append(grid, Grid(batches, Doublings(4*cores), nil)[1:]...)
	}
	for _, s := range Doublings(cores) {
		for _, t := range []int{cores / s, cores / s / 2} {
			if t > 0 {
				grid = append(grid, Grid(batches, []int{s}, []int{t})[1:]...)
			}
		}
	}
	return dropRepeated(grid)
}

// Doublings returns 1, 2, 4, ... up to maxValue, and maxValue.
func Doublings(maxValue int) []int {
	var all []int
	for n := 1; n < maxValue; n *= 2 {
		all = append(all, n)
	}
	return append(all, maxValue)
}

// dropRepeated removes repeated settings.
func dropRepeated(grid []Setting) []Setting {
	seen := map[Setting]bool{}
	return slices.DeleteFunc(grid, func(s Setting) bool {
		was := seen[s]
		seen[s] = true
		return was
	})
}
