package rnnt

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// labelTexts contains the characters of the benchmark's labels, from 0.
const labelTexts = " abcdefghijklmnopqrstuvwxyz'"

// errToken is wrapped by the error about a symbol without a token.
var errToken = errors.New("the model says a symbol that its tokens do not have")

// tokenTexts contains the texts of symbols.
type tokenTexts []string

// maxTokens limits the size of the file and the numbers of its tokens.
const maxTokens = 1 << 20

// readTokens reads a file with lines "TOKEN NUMBER", like the tokens.txt files of icefall's recipes.
func readTokens(path string) (tokenTexts, error) {
	if path == "" {
		return nil, sdk.Usage(errors.New("parameter tokens is empty: give the path of the model's tokens.txt, lines of a " +
			"token and its number"))
	}
	text, err := backend.ReadFile(path, 16*maxTokens)
	if err != nil {
		return nil, sdk.Data(fmt.Errorf("tokens: %w", err))
	}
	t, err := parseTokens(string(text))
	if err != nil {
		return nil, sdk.Data(fmt.Errorf("tokens %s: %w", path, err))
	}
	return t, nil
}

func parseTokens(text string) (tokenTexts, error) {
	var all tokenTexts
	seen := map[int]bool{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		at := strings.LastIndexAny(line, " \t")
		number, err := strconv.Atoi(line[at+1:])
		switch {
		case line == "":
			continue
		case at < 0 || err != nil || number < 0 || number >= maxTokens:
			return nil, fmt.Errorf("line %d is %q, want a token and its number from 0 to %d", n, line, maxTokens-1)
		case seen[number]:
			return nil, fmt.Errorf("line %d: number %d is there twice", n, number)
		}
		seen[number] = true
		for len(all) <= number {
			all = append(all, "")
		}
		all[number] = line[:at]
	}
	if len(all) == 0 {
		return nil, errors.New("it has no token")
	}
	return all, nil
}

// unknownToken represents text that other tokens cannot represent.
const unknownToken = "<unk>"

// wordStart is the beginning of a word in SentencePiece tokens.
const wordStart = "\u2581"

// toLabels returns the labels of the symbols' text: in lower case, with words separated by one space, and without
// characters that are not labels. TokensPath in angle brackets have no text.
func (t tokenTexts) toLabels(symbols []int64) ([]int64, error) {
	var text strings.Builder
	for _, s := range symbols {
		if s < 0 || s >= int64(len(t)) {
			return nil, fmt.Errorf("%w: %d, they go to %d", errToken, s, len(t)-1)
		}
		if token := t[s]; !strings.HasPrefix(token, "<") || !strings.HasSuffix(token, ">") {
			text.WriteString(token)
		}
	}
	said := strings.ReplaceAll(strings.ToLower(text.String()), wordStart, " ")
	var all []int64
	for _, c := range strings.Join(strings.Fields(said), " ") {
		if i := strings.IndexRune(labelTexts, c); i >= 0 {
			all = append(all, int64(i))
		}
	}
	return all, nil
}
