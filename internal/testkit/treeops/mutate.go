package treeops

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Mutation is a systematic change of a tree, named after the change and its place.
type Mutation struct {
	Name string
	Ops  func() []Op // created when needed, because there are many mutations
}

// texts are variants of a file's text, by the change. Only those that are used are created.
type texts = iter.Seq2[string, func() []byte]

// Mutations returns the systematic changes of a tree, given by its files. It changes every file bytewise and by lines,
// the fields of JSON files and the records of detail logs with many values, and the names of files and folders. The
// order is fixed.
func Mutations(files map[string][]byte) iter.Seq[Mutation] {
	return func(yield func(Mutation) bool) {
		for _, name := range slices.Sorted(maps.Keys(files)) {
			for what, text := range changedTexts(name, files[name]) {
				ops := func() []Op { return []Op{{Op: "write", Path: name, Base64: text()}} }
				if !yield(Mutation{what + " " + name, ops}) {
					return
				}
			}
		}
		for _, m := range structureChanges(files) {
			if !yield(m) {
				return
			}
		}
	}
}

// changedTexts returns variants of a file's text, by the change.
func changedTexts(name string, text []byte) texts {
	switch base := path.Base(name); {
	case strings.HasSuffix(base, "_detail.txt"):
		return concat(bytewise(text), changedLogs(text))
	case strings.HasSuffix(base, ".json") && !strings.HasSuffix(base, "_accuracy.json"):
		return concat(bytewise(text), linewise(text), fieldwise(text))
	}
	return concat(bytewise(text), linewise(text))
}

func concat(all ...texts) texts {
	return func(yield func(string, func() []byte) bool) {
		for _, list := range all {
			for what, text := range list {
				if !yield(what, text) {
					return
				}
			}
		}
	}
}

// far is longer than the text that a reader reads at a time.
var far = bytes.Repeat([]byte("#\n"), 100_000)

// bytewise returns variants of a whole text.
func bytewise(text []byte) texts {
	a, b := text[:len(text)/2], text[len(text)/2:]
	ends := func(as string) []byte { return bytes.ReplaceAll(text, []byte("\n"), []byte(as)) }
	return func(yield func(string, func() []byte) bool) {
		for _, c := range []struct {
			what  string
			parts [][]byte
		}{
			{"nothing in", nil},
			{"a blank line for", [][]byte{[]byte("\n")}},
			{"a byte order mark before", [][]byte{[]byte("\ufeff"), text}},
			{"a bad byte before", [][]byte{{0x96}, text}},
			{"a bad byte in", [][]byte{a, {0x96}, b}},
			{"a bad byte after", [][]byte{text, {0x96}}},
			{"a bad byte far behind", [][]byte{text, {'\n'}, far, {0x96, '\n'}}},
			{"half a letter after", [][]byte{text, {0xc3}}},
			{"a surrogate in", [][]byte{a, []byte("\xed\xa0\x80"), b}},
			{"a NUL in", [][]byte{a, {0}, b}},
			{"a NUL after", [][]byte{text, {0}}},
			{"UTF-16 of", [][]byte{{0xff, 0xfe}, ends("\n\x00")}},
			{"carriage returns and line feeds in", [][]byte{ends("\r\n")}},
			{"carriage returns for line feeds in", [][]byte{ends("\r")}},
			{"a carriage return before", [][]byte{{'\r'}, text}},
			{"a carriage return after", [][]byte{text, {'\r'}}},
			{"a line feed before", [][]byte{{'\n'}, text}},
			{"a blank before", [][]byte{{' '}, text}},
			{"no last byte in", [][]byte{text[:max(0, len(text)-1)]}},
			{"the first half of", [][]byte{a}},
			{"the second half of", [][]byte{b}},
			{"twice", [][]byte{text, text}},
			{"a word after", [][]byte{text, []byte("word")}},
		} {
			if !yield(c.what, func() []byte { return bytes.Join(c.parts, nil) }) {
				return
			}
		}
	}
}

// lineEnds are characters that end a line in some systems, or only look like line ends.
var lineEnds = []string{"\r", "\r\n", "\n\r", "\v", "\f", "\x1c", "\u0085", "\u2028", ""}

// linePrefixes are texts that change a line if they precede or follow it.
var linePrefixes = []string{
	" ", "\t", "\r", "\x1c", "\u00a0", "\u0085", "\u3000", "\u200b", "\ufeff", "x", "\x00", "\"", "hash=0\r",
	"TEST FAIL\r",
}

// maxLines limits the number of changed lines per file.
const maxLines = 40

func linewise(text []byte) texts {
	lines := slices.Collect(strings.Lines(string(text)))
	return func(yield func(string, func() []byte) bool) {
		for i, line := range lines[:min(len(lines), maxLines)] {
			body := strings.TrimSuffix(line, "\n")
			for what, changed := range changedLines(body, line[len(body):]) {
				all := func() []byte {
					return []byte(strings.Join(slices.Replace(slices.Clone(lines), i, i+1, changed), ""))
				}
				if !yield(fmt.Sprintf("line %d %s in", i+1, what), all) {
					return
				}
			}
		}
	}
}

func changedLines(body, end string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		give := func(what, text string) bool { return text == body+end || yield(what, text) }
		if !give("gone", "") || !give("twice", body+end+body+end) || !give("in capitals", strings.ToUpper(body)+end) ||
			!give("in lower case", strings.ToLower(body)+end) {
			return
		}
		for _, e := range lineEnds {
			if !give(fmt.Sprintf("ended by %+q", e), body+e) {
				return
			}
		}
		for _, a := range linePrefixes {
			if !give(fmt.Sprintf("behind %+q", a), a+body+end) || !give(fmt.Sprintf("before %+q", a), body+a+end) {
				return
			}
		}
		for from, to := range numbersOf(body) {
			for _, n := range numbers {
				n = strings.ReplaceAll(n, "N", body[from:to])
				if !give(fmt.Sprintf("with %+.20q for %s", n, body[from:to]), body[:from]+n+body[to:]+end) {
					return
				}
			}
		}
	}
}

// numbers are replacements of numbers in a text; N is the original number.
var numbers = []string{
	"0", "-N", "+N", "NeN", "1e5", "1e-5", "N.N", "N,N", ".N", "N.", "0x1", "1_0", "nan", "inf", "٣", "N٣", "²", "１", "𝟗",
	"",
	"99999999999999999999", "0.1", "100.5", " N", "N ", "'N'", strings.Repeat("9", 400), ".", "..",
}

// numbersOf returns the positions of the first numbers in a text.
func numbersOf(text string) iter.Seq2[int, int] {
	isDigit := func(r rune) bool { return r >= '0' && r <= '9' }
	const most = 3
	return func(yield func(from, to int) bool) {
		for at, n := 0, 0; n < most; n++ {
			from := at + strings.IndexFunc(text[at:], isDigit)
			if from < at {
				return
			}
			for at = from; at < len(text) && (isDigit(rune(text[at])) || text[at] == '.'); {
				at++
			}
			if !yield(from, at) {
				return
			}
		}
	}
}

// values are replacements of JSON values; V is the original value and S its text without quotes.
var values = []string{
	"null", "true", "false", "0", "0.0", "-0", "1", "-1", "1.5", "1e5", "600000", "1e400", "-1e400", "NaN", "Infinity",
	"123456789012345678901234567890", "18446744073709551616", `""`, `" "`, `"x"`, `"0"`, `"1"`, `" 1 "`, `"1_000"`, `"٣"`,
	`"0x10"`, `"1e5"`, `"true"`, `"False"`, `"nan"`, `"\ud800"`, `"a\nb"`, `"a\"b"`, `"\u0000"`, `"é"`, "\"\x96\"",
	"\"a\tb\"",
	"[]", "[0]", `["x"]`, "{}", `{"a": 1}`, `"V`, "01", "1.", "V.0", "Ve0", "-V", "[V]", `"S"`, `" S "`, `"S\u0020"`, "S",
	`"S`, deep, long,
}

// deep and long are lists and numbers that some readers refuse.
var deep, long = strings.Repeat("[", 1100) + strings.Repeat("]", 1100), strings.Repeat("9", 5000)

// otherValues returns replacements of a value.
func otherValues(was json.RawMessage) iter.Seq[string] {
	plain := strings.Trim(string(was), `"`)
	r := strings.NewReplacer("V", string(was), "S", plain)
	return func(yield func(string) bool) {
		list := slices.Clone(values)
		if was[0] == '"' {
			list = append(list, strconv.Quote(strings.ToUpper(plain)), strconv.Quote(strings.ToLower(plain)))
		}
		for _, v := range list {
			if text := r.Replace(v); text != string(was) && !yield(text) {
				return
			}
		}
	}
}

// fieldwise returns variants with changed fields of a JSON object.
func fieldwise(text []byte) texts {
	o, err := parseObject(text)
	if err != nil {
		o = nil
	}
	return func(yield func(string, func() []byte) bool) {
		for i, m := range o {
			for what, list := range changedFields(m) {
				changed := func() []byte { return slices.Replace(slices.Clone(o), i, i+1, list...).text(",\n", ": ") }
				if !yield(m.name+" "+what+" in", changed) {
					return
				}
			}
		}
	}
}

// changedFields returns replacements of a field: none, one or two fields.
func changedFields(m member) iter.Seq2[string, []member] {
	return func(yield func(string, []member) bool) {
		if !yield("gone", nil) || !yield("in capitals", []member{{strings.ToUpper(m.name), m.raw}}) ||
			!yield("beside one that nobody knows", []member{m, {"zzz", json.RawMessage("1")}}) {
			return
		}
		for v := range otherValues(m.raw) {
			other := member{m.name, json.RawMessage(v)}
			if !yield(fmt.Sprintf("as %+.40q", v), []member{other}) ||
				!yield(fmt.Sprintf("again as %+.40q", v), []member{m, other}) ||
				!yield(fmt.Sprintf("before as %+.40q", v), []member{other, m}) {
				return
			}
		}
	}
}

// changedLogs returns variants of a detail log with changed records, the first of each key.
func changedLogs(text []byte) texts {
	lines := slices.Collect(strings.Lines(string(text)))
	return func(yield func(string, func() []byte) bool) {
		seen := map[string]bool{}
		for i, line := range lines {
			o, err := parseObject([]byte(strings.TrimPrefix(line, logMark)))
			if err != nil || len(o) == 0 || seen[string(o[0].raw)] {
				continue
			}
			seen[string(o[0].raw)] = true
			for what, changed := range changedRecords(o, line) {
				all := func() []byte {
					return []byte(strings.Join(slices.Replace(slices.Clone(lines), i, i+1, changed), ""))
				}
				if !yield(fmt.Sprintf("%s %s in", o[0].raw, what), all) {
					return
				}
			}
		}
	}
}

// changedRecords returns replacements of a record of a detail log.
func changedRecords(o object, line string) iter.Seq2[string, string] {
	bare := strings.TrimSuffix(line, "\n")
	whole := func(o object) string { return logMark + string(o.text(", ", ": ")) + "\n" }
	with := func(name, v string) string { return whole(slices.Clone(o).set(name, json.RawMessage(v))) }
	without := func(name string) string { return whole(slices.Clone(o).del(name)) }
	return func(yield func(string, string) bool) {
		for _, c := range [][2]string{
			{"gone", ""}, {"twice", line + line}, {"without a value", without("value")},
			{"without metadata", without("metadata")}, {"without a key", without("key")},
			{"with key 1", with("key", "1")}, {"with key null", with("key", "null")}, {"with key []", with("key", "[]")},
			{"with metadata null", with("metadata", "null")}, {"with metadata []", with("metadata", "[]")},
			{"with metadata empty", with("metadata", "{}")}, {"with is_error 1", with("metadata", `{"is_error": 1}`)},
			{"with is_error text", with("metadata", `{"is_error": "false"}`)},
			{"with is_error null", with("metadata", `{"is_error": null}`)},
			{"with is_error true", with("metadata", `{"is_error": true, "is_warning": false}`)},
			{"with Is_Error", with("metadata", `{"Is_Error": false}`)},
			{"with KEY", strings.Replace(line, `"key"`, `"KEY"`, 1)}, {"with a deep field", with("zzz", deep)},
			{"with a long number", with("zzz", long)}, {"behind a blank", " " + line},
			{"behind a carriage return", "\r" + line}, {"behind a word and a carriage return", "word\r" + line},
			{"ended by carriage returns", bare + "\r\r\n"}, {"cut", line[:len(line)/2] + "\n"},
			{"with text behind", bare + " x\n"},
			{"without the mark's blank", strings.Replace(line, logMark, strings.TrimSpace(logMark), 1)},
			{"with a tab in the mark", strings.Replace(line, logMark, ":::MLLOG\t", 1)},
			{"with a longer mark", strings.Replace(line, logMark, ":::MLLOGX", 1)},
			{"with another mark", strings.Replace(line, logMark, ":::ENDPTS ", 1)},
			{"in JSON without blanks", logMark + string(o.text(",", ":")) + "\n"},
		} {
			if c[1] != line && !yield(c[0], c[1]) {
				return
			}
		}
		if at := o.find("value"); at >= 0 {
			value := func(v string) string { return with("value", v) }
			changedValues(line, string(o[0].raw), otherValues(o[at].raw), value, yield)
		}
	}
}

// changedValues yields variants of a record in which each value replaces, precedes or follows the original one, also
// with an escape in the key.
func changedValues(
	line, key string, list iter.Seq[string], with func(v string) string, yield func(string, string) bool,
) {
	escaped := fmt.Sprintf(`"\u%04x%s`, key[1], key[2:])
	for v := range list {
		changed := with(v)
		for _, c := range [][2]string{
			{"", changed}, {"again ", line + changed}, {"before ", changed + line},
			{"before, escaped, ", strings.Replace(changed, key, escaped, 1) + line},
		} {
			if !yield(fmt.Sprintf("%sas %+.40q", c[0], v), c[1]) {
				return
			}
		}
	}
}

// structureChanges returns changes of names and positions of files.
func structureChanges(files map[string][]byte) (all []Mutation) {
	add := func(name string, ops ...Op) { all = append(all, Mutation{name, func() []Op { return ops }}) }
	dirs := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		addPathChanges(name, add)
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		addPathChanges(dir, add)
		for _, extra := range []string{
			"extra.txt", ".gitkeep", "results.json", ".hidden", "mlperf_log_accuracy.json", "a b",
		} {
			add(extra+" in "+dir, Op{Op: "write", Path: path.Join(dir, extra)})
		}
		for _, extra := range filesToAdd(dir) {
			if files[extra] != nil {
				continue
			}
			add("a bad byte in "+extra, Op{Op: "write", Path: extra, Base64: []byte("\x96")})
			add("an open list in "+extra, Op{Op: "write", Path: extra, Base64: []byte("[")})
			add("a folder as "+extra, Op{Op: "mkdir", Path: extra})
		}
		for _, extra := range []string{"folder", "Offline", "results", "TEST01", "power", "performance/power"} {
			add(extra+"/ in "+dir, Op{Op: "mkdir", Path: path.Join(dir, extra)})
		}
	}
	return all
}

// filesToAdd returns files that a program may open in any folder.
func filesToAdd(dir string) (all []string) {
	for _, name := range []string{
		"model_mapping.json", "TEST01/verify_accuracy.txt", "TEST04/verify_accuracy.txt",
		"TEST01/performance/run_1/mlperf_log_detail.txt", "TEST04/performance/run_1/mlperf_log_detail.txt",
		"TEST05/verify_performance.txt", "TEST06/verify_accuracy.txt", "TEST07/verify_accuracy.txt",
		"TEST08/verify_accuracy.txt", "TEST09/verify_output_len.txt", "privateid.json", "config.yaml",
	} {
		all = append(all, path.Join(dir, name))
	}
	if strings.Count(dir, "/") == 3 { // a folder of results
		all = append(all, path.Join(dir, "../../systems", path.Base(dir)+"_power.yaml"))
	}
	return all
}

// addPathChanges adds changes of the file or folder at a path, and of its name.
func addPathChanges(name string, add func(string, ...Op)) {
	dir, base := path.Split(name)
	elsewhere := "elsewhere/" + base
	up := strings.Repeat("../", strings.Count(name, "/"))
	add("no "+name, Op{Op: "delete", Path: name})
	add("a folder for "+name, Op{Op: "delete", Path: name}, Op{Op: "mkdir", Path: name})
	add("a file for "+name, Op{Op: "delete", Path: name}, Op{Op: "write", Path: name})
	add("a link to nothing for "+name, Op{Op: "delete", Path: name}, Op{Op: "symlink", Path: name, Target: "nothing"})
	add("a link to itself for "+name, Op{Op: "delete", Path: name}, Op{Op: "symlink", Path: name, Target: base})
	add("a link for "+name, Op{Op: "move", From: name, To: elsewhere},
		Op{Op: "symlink", Path: name, Target: up + elsewhere})
	for _, other := range otherNames(base) {
		add(fmt.Sprintf("%+q for %s", other, name), Op{Op: "move", From: name, To: dir + other})
		add(fmt.Sprintf("%+q beside %s", other, name), Op{Op: "copy", From: name, To: dir + other})
	}
}

// otherNames returns other names for a file or folder.
func otherNames(name string) []string {
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	all := []string{strings.ToLower(name), strings.ToUpper(name), name + " ", " " + name, "." + name, `a\b` + ext}
	for _, end := range []string{" x", "\n", `"`, "'", "\t", ",", "\x96", "{x}", "{", "_2", "%s", "é"} {
		all = append(all, stem+end+ext)
	}
	return slices.DeleteFunc(all, func(n string) bool { return n == name })
}
