package vl

import (
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy/products"
	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// chatSettings are the parameters of chats.
type chatSettings struct {
	Form  requestForm `param:"form" choices:"endpoints,loadgen"`
	Words promptWords `param:"prompts"` // not read to score
	Hides hiddenPart  `param:"hide" choices:"nothing,picture,title"`
}

// requestForm says which of the two official programs asks.
type requestForm uint8

const (
	endpoints requestForm = iota // the endpoints harness
	loadGen                      // the program over LoadGen before it
)

// scoringForm returns whose rules score.
func (f requestForm) scoringForm() products.RuleForm {
	if f == loadGen {
		return products.LoadGen
	}
	return products.Endpoints
}

// maxTokens limits an answer where the endpoints harness asks.
const maxTokens = 150

// requestFields returns the fields of a request in a scenario, without the model and the messages. The program over
// LoadGen sends what is not set as null. The harness has answers of Server streamed; that the server reports its number
// of tokens then is wanted by us.
func (f requestForm) requestFields(s loadgen.Scenario) map[string]json.RawMessage {
	if f == loadGen {
		null := json.RawMessage("null")
		return map[string]json.RawMessage{
			"frequency_penalty": null, "presence_penalty": null, "response_format": null, "temperature": null, "top_p": null,
		}
	}
	fields := map[string]json.RawMessage{"max_completion_tokens": json.RawMessage(fmt.Sprint(maxTokens))}
	if s == loadgen.Server {
		fields["stream"] = json.RawMessage("true")
		fields["stream_options"] = json.RawMessage(`{"include_usage":true}`)
	}
	return fields
}

// maxNewTokens limits the tokens of an answer; 0: as many as the server allows.
func (f requestForm) maxNewTokens() int {
	if f == loadGen {
		return 0
	}
	return maxTokens
}

// hiddenPart is the part of a product that is hidden from the model.
type hiddenPart uint8

const (
	hiddenNothing hiddenPart = iota
	hiddenPicture
	hiddenTitle
)

// readSettings reads all parameters. Words that the user names say whose defaults the others have.
func readSettings(r *manifest.Request) (s chatSettings) {
	r.DefaultsOf("prompts")
	read := readWords
	if r.Scoring {
		read = func(string) (promptWords, error) { return promptWords{}, nil }
	}
	r.Bind(&s, option.ReaderFunc("prompts", read))
	return s
}

// promptWords are the words of prompts.
type promptWords struct {
	system   string
	around   [4]string // the title, the description and the categories
	embedded bool      // they are the plugin's
	sum      string    // of the system's words, lower-case hex
}

//go:embed words/system.txt
var ownSystem string

//go:embed words/user.txt
var ownUser string

// The files of a folder of words, and the places of values.
const (
	systemFile = "system.txt"
	userFile   = "user.txt"
)

var places = [3]string{"{title}", "{description}", "{categories}"}

// readWords reads a folder of words.
func readWords(path string) (promptWords, error) {
	switch path {
	case manifest.Embedded:
		w, err := newWords(ownSystem, ownUser)
		w.embedded = true
		return w, err
	case "":
		return promptWords{}, fmt.Errorf("want a folder with %s and %s, or embedded", systemFile, userFile)
	}
	system, err1 := readText(filepath.Join(path, systemFile))
	user, err2 := readText(filepath.Join(path, userFile))
	if err := errors.Join(err1, err2); err != nil {
		return promptWords{}, err
	}
	return newWords(system, user)
}

// maxTextSize limits the size of a file of words.
const maxTextSize = 1 << 20

func readText(path string) (string, error) {
	text, err := bounded.ReadFile(path, maxTextSize)
	if errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("%w: want a folder with %s and %s", err, systemFile, userFile)
	}
	return string(text), err
}

// newWords takes the user's words apart at the places of values.
func newWords(system, user string) (promptWords, error) {
	w := promptWords{system: system, sum: fmt.Sprintf("%x", sha256.Sum256([]byte(system)))}
	rest := user
	for i, place := range places {
		before, after, found := strings.Cut(rest, place)
		if !found {
			return w, fmt.Errorf("%s has no %s behind %q: it has to have %s, in this order", userFile, place,
				strings.Join(places[:i], ", "), strings.Join(places[:], ", "))
		}
		w.around[i], rest = before, after
	}
	w.around[3] = rest
	return w, nil
}

// officialSums are those of the system's words that the two programs send.
var officialSums = map[requestForm]string{
	loadGen:   "0d1878a7ddab0ca73999e3b7db2e0b8aaa74069f1bcc4c4f8a49201b82151c48",
	endpoints: "2ff8c5d5405714082f8082a3322f6faeddf49149498bd41e692ccc29725722b3",
}

// userMessage returns the user's message.
func (w *promptWords) userMessage(title, description, categories string) string {
	return w.around[0] + title + w.around[1] + description + w.around[2] + categories + w.around[3]
}

// splitMessage splits a message's title and categories from the words around them.
func (w *promptWords) splitMessage(text string) (title, categories string, ok bool) {
	rest, ok := strings.CutPrefix(text, w.around[0])
	end := strings.LastIndex(rest, w.around[2])
	at := strings.Index(rest, w.around[1])
	if !ok || at < 0 || end < at {
		return "", "", false
	}
	return rest[:at], rest[end+len(w.around[2]):], true
}
