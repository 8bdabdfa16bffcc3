package main

import (
	"bytes"
	"regexp"
	"strings"
)

// loggedRun contains the facts about a run in its logs.
type loggedRun struct {
	scenario, mode string
	valid          bool
	settings       map[string]string // the effective ones, with the names of detail logs since v1.0
}

var (
	entryForm = regexp.MustCompile(`"key": "(effective_\w+|requested_server_t[tp][fo]t_latency|` +
		`requested_use_token_latencies|loadgen_version|qsl_reported_total_count)", "value": ("[^"]*"|[^,]+),`)
	oldLine   = regexp.MustCompile(`^"pid": \d+, "tid": \d+, "ts": \d+ns : (.*)$`)
	parameter = regexp.MustCompile(`^([\w -]+?) ?(?:\((\w+)\))? ?: ?(.*)$`)
	version   = regexp.MustCompile(`^\D*\d*\.?\d+`)
)

// settingsEnd is an upper limit of the position after the settings in detail logs. Samples and queries follow.
const settingsEnd = 256 << 10

// readRun reads the settings and the verdict of a summary, and further facts from a detail log in either form.
func readRun(detail, summary []byte) loggedRun {
	r := loggedRun{settings: map[string]string{}}
	detail = detail[:min(len(detail), settingsEnd)]
	r.readSummary(summary)
	if bytes.HasPrefix(bytes.TrimLeft(detail, "\ufeff \n"), []byte(":::MLLOG")) {
		for _, m := range entryForm.FindAllSubmatch(detail, -1) {
			name := string(m[1])
			for _, prefix := range []string{"effective_", "requested_"} {
				name = strings.TrimPrefix(name, prefix)
			}
			r.keepFirst(name, strings.Trim(string(m[2]), `"`))
		}
	} else {
		r.readLines(detail)
	}
	r.scenario = strings.ReplaceAll(r.settings["scenario"], " ", "") // "Single Stream" before v1.0
	r.mode = r.settings["mode"]
	return r
}

// readSummary reads the beginning of a summary and the parameters at its end.
func (r *loggedRun) readSummary(summary []byte) {
	for line := range bytes.Lines(summary) {
		name, value, ok := splitField(line)
		if !ok {
			continue
		}
		switch name {
		case "Scenario", "Mode":
			name = strings.ToLower(name)
		case "Result is":
			r.valid = value == "VALID"
		}
		r.keepFirst(name, value)
	}
}

// readLines reads the detail logs of v0.5 and v0.7.
func (r *loggedRun) readLines(detail []byte) {
	effective := false
	for line := range bytes.Lines(detail) {
		m := oldLine.FindSubmatch(bytes.TrimRight(line, "\r\n "))
		if m == nil {
			continue
		}
		name, value, _ := splitField(m[1])
		switch {
		case strings.HasSuffix(name, " Settings"):
			effective = name == "Effective Settings"
		case name == "version":
			r.keepFirst("loadgen_version", value)
		case name == "QSL total size":
			r.keepFirst("qsl_reported_total_count", value)
		case effective:
			r.keepFirst(name, value)
		}
	}
}

// splitField splits "target_latency (ns): 10" into target_latency_ns and 10.
func splitField(line []byte) (name, value string, ok bool) {
	m := parameter.FindSubmatch(bytes.TrimRight(line, "\r\n "))
	if m == nil {
		return "", "", false
	}
	name = strings.TrimSpace(string(m[1]))
	if unit := string(m[2]); unit != "" {
		name += "_" + unit
	}
	return name, strings.TrimSpace(string(m[3])), true
}

// switches matches settings that are on or off: true and false in detail logs, 1 and 0 in summaries.
var switches = regexp.MustCompile(`^(performance_issue_(unique|same)|sample_concatenate_permutation|` +
	`use_token_latencies)$`)

// keepFirst stores the first value of a name.
func (r *loggedRun) keepFirst(name, value string) {
	switch {
	case name == "loadgen_version":
		value = version.FindString(value)
	case switches.MatchString(name):
		value = strings.NewReplacer("0", "false", "1", "true").Replace(value)
	}
	if _, again := r.settings[name]; !again {
		r.settings[name] = value
	}
}
