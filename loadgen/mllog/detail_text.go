package mllog

import (
	"bytes"
	"strconv"
	"strings"
)

// textForm reads the detail logs of LoadGens before v1.0, which are text. A line has a head with process, thread and
// time. After the head come a sentence, or a label with its value, or a title whose value is on the next lines, which
// have no head. textForm returns the entries that later LoadGens write, with their keys and words.
type textForm struct {
	section string // "effective_" or "requested_" after the title of settings
	openKey string // the key of a title whose value follows, or ""
	head    DetailEntry
	lines   []string // lines of that value
	size    int      // size of lines in bytes
}

// textHead is the beginning of a line in the text form.
var textHead = []byte(`"pid": `)

// maxText is the maximum kept size of a title's value, in bytes. The value of a list of files has a few thousand.
const maxText = 64 << 10

// titleKeys maps the titles whose values are on separate lines to the keys of later logs.
var titleKeys = map[string]string{
	"git_log :": "loadgen_git_log_message", "git_status :": "loadgen_git_status_message",
	"SHA1 of files :": fileSumsKey,
}

const fileSumsKey = "loadgen_file_sha1"

// sectionPrefixes maps the titles of settings to the key prefixes of later logs.
var sectionPrefixes = map[string]string{"Effective Settings:": "effective_", "Requested Settings:": "requested_"}

// labelKeys lists the labels of values outside of settings, with the keys of later logs.
var labelKeys = [...]struct{ label, key string }{
	{"version : ", "loadgen_version"},
	{"build_date_local : ", "loadgen_build_date_local"},
	{"build_date_utc   : ", "loadgen_build_date_utc"},
	{"git_commit_date  : ", "loadgen_git_commit_date"},
	{"Date + time of test: ", "test_datetime"},
	{"System Under Test (SUT) name: ", "sut_name"},
	{"Query Sample Library (QSL) name: ", "qsl_name"},
	{"QSL total size: ", "qsl_reported_total_count"},
	{"QSL performance size*: ", "qsl_reported_performance_count"},
	{"Loading QSL : ", loadedSet},
	{"GeneratedQueries: ", "generated_query_"},
	{"POWER_BEGIN: ", "power_begin"},
	{"POWER_END: ", "power_end"},
}

// modeWords maps old values of scenario and mode to those of later logs.
var modeWords = map[string]string{
	"Single Stream": "SingleStream", "Multi Stream": "MultiStream", "Multi Stream Free": "MultiStreamFree",
	"Performance": "PerformanceOnly", "Accuracy": "AccuracyOnly", "Submission": "SubmissionRun",
	"Find Peak Performance": "FindPeakPerformance",
}

// Word returns the name since v1.0 of a scenario or mode. Earlier logs write it with blanks or abbreviate it.
func Word(text string) string {
	if word, ok := modeWords[text]; ok {
		return word
	}
	return text
}

// addLine reads a line. mine reports that the line belongs to the text form: it has a head or continues a title's
// value.
func (t *textForm) addLine(line []byte) (list []DetailEntry, fault string, belongs bool) {
	if !bytes.HasPrefix(line, textHead) {
		return nil, "", t.continueValue(line)
	}
	list = t.endTitle()
	head, text, ok := cutHead(line)
	if !ok {
		return list, `want "pid": N, "tid": N, "ts": Nns : TEXT, found ` + quoteText(line), true
	}
	entries, fault := t.readEntry(head, text)
	return append(list, entries...), fault, true
}

// continueValue adds a line without a head to the value of the current title. It returns false if there is no such
// title.
func (t *textForm) continueValue(line []byte) bool {
	if t.openKey == "" {
		return false
	}
	if t.size += len(line) + 1; t.size <= maxText && len(line) > 0 {
		t.lines = append(t.lines, string(line))
	}
	return true
}

// endTitle returns the entry of the title whose value is complete.
func (t *textForm) endTitle() []DetailEntry {
	if t.openKey == "" {
		return nil
	}
	e := t.head
	e.Key, e.Value = t.openKey, strings.Join(t.lines, "\n")
	if t.openKey == fileSumsKey {
		sums := make(map[string]string, len(t.lines))
		for _, line := range t.lines {
			sum, file, _ := strings.Cut(line, " ")
			sums[file] = sum
		}
		e.Value = sums
	}
	t.openKey, t.lines, t.size = "", nil, 0
	return []DetailEntry{e}
}

// readEntry parses the text after a head.
func (t *textForm) readEntry(e DetailEntry, text string) ([]DetailEntry, string) {
	if begins, ok := sectionPrefixes[text]; ok || text == "" {
		t.section = begins
		return nil, ""
	}
	if key, ok := titleKeys[text]; ok {
		t.openKey, t.head = key, e
		return nil, ""
	}
	for _, l := range labelKeys {
		if value, ok := strings.CutPrefix(text, l.label); ok {
			return labelledEntries(e, l.key, value)
		}
	}
	if strings.HasSuffix(text, " mode:") { // the title of a mode's start, after which no settings follow
		t.section = ""
	}
	if key, value, ok := cutSetting(text); ok && t.section != "" {
		e.Key, e.Value = t.section+key, value
		return []DetailEntry{e}, ""
	}
	return []DetailEntry{sentenceEntry(e, text)}, ""
}

// sentenceEntry returns the entry of a sentence: an error, a warning, a counter of the logger, or a message.
func sentenceEntry(e DetailEntry, text string) DetailEntry {
	if rest, ok := strings.CutPrefix(text, "ERROR : "); ok {
		e.Key, e.Value, e.Error = "error_runtime", rest, true
		if strings.HasPrefix(rest, "Loadgen built with uncommitted changes") {
			e.Key = "error_uncommitted_loadgen_changes"
		}
		return e
	}
	if rest, ok := strings.CutPrefix(text, "WARNING : "); ok {
		e.Key, e.Value, e.Warning = "warning_generic_message", rest, true
		return e
	}
	if strings.HasPrefix(text, "Found Audit Config file") { // later logs write it as a warning
		e.Key, e.Value, e.Warning = "warning_generic_message", text, true
		return e
	}
	if number, name, ok := strings.Cut(text, " : "); ok {
		if n, err := strconv.ParseUint(number, 10, 64); err == nil {
			e.Key, e.Value = "logger_"+name, n
			return e
		}
	}
	e.Key, e.Value = "generic_message", strings.TrimSuffix(strings.TrimSpace(text), ":")
	return e
}

// labelledEntries returns the entries of a label with its value.
func labelledEntries(e DetailEntry, key, value string) ([]DetailEntry, string) {
	e.Key, e.Value = key, value
	switch key {
	case "qsl_reported_total_count", "qsl_reported_performance_count":
		n, err := strconv.ParseUint(value, 10, 64)
		if err != nil {
			return nil, key + ": want a number, found " + quoteText([]byte(value))
		}
		e.Value = n
	case loadedSet:
		list, ok := parseList(strings.Trim(strings.TrimPrefix(value, `"set" : `), `"[]`), true)
		if !ok {
			return nil, `want "set" : "[N,N,...]", found ` + quoteText([]byte(value))
		}
		e.Value = list
	case "power_begin", "power_end":
		_, at, ok := strings.Cut(value, `"time" : `)
		if !ok {
			return nil, `want "time" : TIME, found ` + quoteText([]byte(value))
		}
		e.Value = at
	case "generated_query_":
		return generatedEntries(e, value)
	}
	return []DetailEntry{e}, ""
}

// generatedEntries returns the three numbers of the drawn queries.
func generatedEntries(e DetailEntry, text string) ([]DetailEntry, string) {
	var list []DetailEntry
	rest := text
	for _, part := range [...]struct{ label, key string }{
		{`"queries" : `, "generated_query_count"}, {`"samples per query" : `, "generated_samples_per_query"},
		{`"duration" : `, "generated_query_duration"},
	} {
		number, ok := strings.CutPrefix(rest, part.label)
		number, rest, _ = strings.Cut(number, ", ")
		n, err := strconv.ParseUint(number, 10, 64)
		if !ok || err != nil {
			return nil, "want " + part.label + "N, found " + quoteText([]byte(text))
		}
		e.Key, e.Value = part.key, n
		list = append(list, e)
	}
	return list, ""
}

// cutSetting splits a setting, and returns its key and value in the words of later logs.
func cutSetting(text string) (key string, value any, ok bool) {
	label, word, ok := strings.Cut(text, ": ")
	label = strings.TrimSpace(label)
	switch label {
	case "Scenario":
		return "scenario", Word(word), ok
	case "Test mode":
		return "test_mode", Word(word), ok
	}
	if name, unit, has := strings.Cut(label, " ("); has {
		label = name + "_" + strings.TrimSuffix(unit, ")")
	}
	notOfKeys := func(c rune) bool { return c != '_' && (c < 'a' || c > 'z') }
	if !ok || label == "" || strings.ContainsFunc(label, notOfKeys) {
		return "", nil, false
	}
	if flag, is := parseBool(word); is {
		return label, flag, true
	}
	if number, is := parseNumber(word); is {
		return label, number, true
	}
	return label, word, true
}

// cutHead removes the head of a line.
func cutHead(line []byte) (e DetailEntry, text string, ok bool) {
	rest := string(line[len(textHead):])
	for _, part := range [...]struct {
		to  *int64
		end string
	}{{&e.PID, `, "tid": `}, {&e.TID, `, "ts": `}, {(*int64)(&e.Time), "ns : "}} {
		number, after, found := strings.Cut(rest, part.end)
		if !found { // the text is empty and an editor removed its last blank
			number, found = strings.CutSuffix(rest, strings.TrimRight(part.end, " "))
			after = ""
		}
		n, whole := parseInt(number)
		if !found || !whole {
			return e, "", false
		}
		*part.to, rest = n, after
	}
	return e, rest, true
}
