package wan

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/plugins/wan/internal/videos"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

//go:embed prompts.txt
var embeddedText string

// embeddedPrompts returns the prompts of the embedded data set.
func embeddedPrompts() []string { return splitPrompts(embeddedText) }

// splitPrompts returns the prompts in a text: its lines without surrounding blanks. Blank lines are skipped.
func splitPrompts(text string) (prompts []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			prompts = append(prompts, line)
		}
	}
	return prompts
}

// embeddedSet is the name of the only embedded set.
const embeddedSet = "eval"

// writePrompts writes n of the embedded prompts, starting with number first, in the form of the official file. If n is
// negative, it writes all that follow.
func writePrompts(_ context.Context, out, set string, first, n int) error {
	all := embeddedPrompts()
	switch {
	case set != embeddedSet:
		return fmt.Errorf("there is no set %q, want %s", set, embeddedSet)
	case first > len(all):
		return fmt.Errorf("there are %d prompts, and none from %d on", len(all), first)
	}
	if all = all[first:]; n >= 0 {
		all = all[:min(n, len(all))]
	}
	return os.WriteFile(out, []byte(strings.Join(all, "\n")+"\n"), 0o644)
}

// Name of the official file, its number of prompts, and the maximum size of a file of prompts in bytes.
const (
	officialFile    = "vbench_prompts.txt"
	officialPrompts = 248
	maxPromptsBytes = 16 << 20
)

// openPrompts reads the requests of a run. They consist of the settings in base with the prompts of the data set, the
// official file or the embedded prompts.
func openPrompts(r *manifest.Request, base videos.VideoRequest) []videos.VideoRequest {
	all, err := readPrompts(r.Dataset, base)
	if err != nil {
		r.AddFault(sdk.Data(err))
		return nil
	}
	return all[:min(r.SampleCount(len(all), "prompts"), len(all))]
}

func readPrompts(path string, base videos.VideoRequest) ([]videos.VideoRequest, error) {
	text := []byte(embeddedText)
	if path != "" {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			path = filepath.Join(path, officialFile)
		}
		var err error
		if text, err = bounded.ReadFile(path, maxPromptsBytes); err != nil {
			return nil, fmt.Errorf("%w; want %s, the folder that holds it, or rows of the endpoints harness as .jsonl", err,
				officialFile)
		}
		if !utf8.Valid(text) {
			return nil, fmt.Errorf("%s: no text in UTF-8", path)
		}
	}
	if strings.EqualFold(filepath.Ext(path), ".jsonl") {
		return readRows(path, text, base)
	}
	var all []videos.VideoRequest
	for _, prompt := range splitPrompts(string(text)) {
		one := base
		one.Prompt = prompt
		all = append(all, one)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no prompt: want one on each line", path)
	}
	return all, nil
}

// readRows reads rows of the endpoints harness. Each overrides the settings in base.
func readRows(path string, text []byte, base videos.VideoRequest) (all []videos.VideoRequest, err error) {
	const most = 20
	var faults []error
	for i, line := range bytes.Split(text, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		one, err := base.ParseRow(line)
		if err != nil && len(faults) < most {
			faults = append(faults, fmt.Errorf("%s: line %d: %w", path, i+1, err))
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		faults = append(faults, fmt.Errorf("%s has no rows", path))
	}
	return all, errors.Join(faults...)
}

// maxNameRunes limits the characters of a prompt in a file name.
const maxNameRunes = 200

// fileNames returns the names of the prompts' videos without their extension. A name is the prompt, with underscores
// for characters that file names cannot contain, truncated to 200 characters, and the number of preceding prompts with
// the same name.
func fileNames(prompts []videos.VideoRequest) []string {
	count := map[string]int{}
	var names []string
	for _, p := range prompts {
		name := fileName(p.Prompt)
		names = append(names, name+"-"+strconv.Itoa(count[name]))
		count[name]++
	}
	return names
}

func fileName(prompt string) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || unicode.IsControl(r) {
			return '_'
		}
		return r
	}, prompt))
	return string(runes[:min(len(runes), maxNameRunes)])
}

// checkFileNames returns an error for the first prompt whose file name would be outside the folder or too long.
func checkFileNames(prompts []videos.VideoRequest) error {
	const most = 250
	at := slices.IndexFunc(prompts, func(p videos.VideoRequest) bool {
		name := fileName(p.Prompt)
		return name == ".." || name == "." || len(name) > most
	})
	if at < 0 {
		return nil
	}
	return fmt.Errorf("prompt %d, %q, makes no name of a file", at, fileName(prompts[at].Prompt))
}
