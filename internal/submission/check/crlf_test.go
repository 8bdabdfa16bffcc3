package check_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/check"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// windows is a text as git's autocrlf makes it.
func windows(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

// cutLog is an accuracy log of entries as the official truncation leaves it: the data of one has width characters.
func cutLog(width int) string {
	var b strings.Builder
	b.WriteString("[\n")
	for i := range 40000 / (width + 50) {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `{ "seq_id" : %d, "qsl_idx" : %d, "data" : "%s", "token_count" : 7 }`, i, i,
			strings.Repeat("0A", width/2))
	}
	b.WriteString("\n]\n")
	whole := b.String()
	return whole[:4096] + "\n\n...\n\n" + whole[len(whole)-4096:]
}

func rejects(r *check.Report) []check.Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f check.Finding) bool { return f.Severity != check.Reject })
}

// TestCarriageReturnsAreNoFault: every text of a tree, alone and all of them, may have been through git's autocrlf.
func TestCarriageReturnsAreNoFault(t *testing.T) {
	const log, score = sound + "/accuracy/" + tree.AccuracyLog, sound + "/accuracy/accuracy.txt"
	scored := func(log string) string {
		return fmt.Sprintf("Accuracy: mean = 0.86170\nhash=%x\n", sha256.Sum256([]byte(log)))
	}
	files := soundFiles()
	files[sound+"/mlperf.conf"] = "*.*.qsl_rng_seed = 2085463073848966840\n"
	files[score] = scored(files[log])
	variants := map[string]map[string]string{}
	all := map[string]string{}
	for name, text := range files {
		variants[name] = map[string]string{name: windows(text)}
		all[name] = windows(text)
	}
	variants["all"] = all
	for _, width := range []int{2, 24, 400, 1000, 4030, 9000} {
		variants[fmt.Sprintf("a log cut short, of outputs of %d", width)] = map[string]string{
			log: windows(cutLog(width)), score: scored("the whole log")}
	}
	variants["an audit's log cut short"] = map[string]string{
		sound + "/TEST01/accuracy/" + tree.AccuracyLog: windows(cutLog(400))}
	variants["a hash of the converted log"] = map[string]string{log: all[log], score: scored(all[log])}
	root := t.TempDir()
	for name, text := range files {
		put(t, root, name, text)
	}
	for name, changed := range variants {
		t.Run(name, func(t *testing.T) {
			for file, text := range changed {
				put(t, root, file, text)
			}
			if list := rejects(run(t, root)); len(list) > 0 {
				t.Errorf("rejected: %+v", list)
			}
			for file := range changed {
				put(t, root, file, files[file])
			}
		})
	}
}

// TestCarriageReturnsHideNoFault: a log that is none is none with carriage returns, too.
func TestCarriageReturnsHideNoFault(t *testing.T) {
	cut := cutLog(400)
	for name, text := range map[string]string{
		"no list":               cut[2:],
		"its end is cut off":    strings.TrimSuffix(cut, "]\n"),
		"no entry":              "[\n\n\n...\n\n]\n",
		"empty":                 "\n",
		"a gap of other length": strings.Replace(cut, "\n\n...\n\n", "\n...\n", 1),
	} {
		for _, end := range []string{"\n", "\r\n"} {
			root := newTree(t)
			put(t, root, sound+"/accuracy/"+tree.AccuracyLog, strings.ReplaceAll(text, "\n", end))
			if len(rejects(run(t, root))) == 0 {
				t.Errorf("%s, lines end with %q: accepted", name, end)
			}
		}
	}
}
