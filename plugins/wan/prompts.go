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
var ownText string

// ownPrompts are those of the embedded data set.
func ownPrompts() []string { return linesOf(ownText) }

// linesOf are the prompts of a text: its lines without the blanks around them, blank ones left out.
func linesOf(text string) (prompts []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			prompts = append(prompts, line)
		}
	}
	return prompts
}

// ownSet is the name of the only set.
const ownSet = "eval"

// writePrompts writes n of the plugin's own prompts from the first on, all that follow where n is negative, as the
// official file has them.
func writePrompts(_ context.Context, out, set string, first, n int) error {
	all := ownPrompts()
	switch {
	case set != ownSet:
		return fmt.Errorf("there is no set %q, want %s", set, ownSet)
	case first > len(all):
		return fmt.Errorf("there are %d prompts, and none from %d on", len(all), first)
	}
	if all = all[first:]; n >= 0 {
		all = all[:min(n, len(all))]
	}
	return os.WriteFile(out, []byte(strings.Join(all, "\n")+"\n"), 0o644)
}

// The official file, its number of prompts, and the most bytes of one.
const (
	officialFile    = "vbench_prompts.txt"
	officialPrompts = 248
	maxPromptsSize  = 16 << 20
)

// openPrompts reads the requests of a run: settings with the prompts of the data set, the official file or the plugin's
// own.
func openPrompts(r *manifest.Request, base videos.VideoRequest) []videos.VideoRequest {
	all, err := readPrompts(r.Dataset, base)
	if err != nil {
		r.AddFault(sdk.Data(err))
		return nil
	}
	return all[:min(r.SampleCount(len(all), "prompts"), len(all))]
}

func readPrompts(path string, base videos.VideoRequest) ([]videos.VideoRequest, error) {
	text := []byte(ownText)
	if path != "" {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			path = filepath.Join(path, officialFile)
		}
		var err error
		if text, err = bounded.ReadFile(path, maxPromptsSize); err != nil {
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
	for _, prompt := range linesOf(string(text)) {
		one := base
		one.Prompt = prompt
		all = append(all, one)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no prompt: want one on each line", path)
	}
	return all, nil
}

// readRows reads rows of the endpoints harness, each over the settings.
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

// maxNameRunes limits the characters of a prompt in a file's name.
const maxNameRunes = 200

// fileNames are the names of the videos of prompts without their ending: the prompt, where it can be no part of a
// file's name an underscore, cut to 200 characters, and a number: how many before it have that name.
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

// checkFileNames names the first prompt whose file's name would lead out of the folder, or have more bytes than a name
// may have.
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
