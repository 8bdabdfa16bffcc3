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

// chatSettings contains the parameters of chats.
type chatSettings struct {
	Form       requestForm `param:"form" choices:"endpoints,loadgen"`
	Words      promptWords `param:"prompts"` // not read for scoring
	HiddenPart hiddenPart  `param:"hide" choices:"nothing,picture,title"`
}

// requestForm identifies the official program whose requests are made.
type requestForm uint8

const (
	endpointsForm requestForm = iota // the endpoints harness
	loadGenForm                      // its predecessor, the program over LoadGen
)

// scoringForm returns the scoring rules of the program.
func (f requestForm) scoringForm() products.RuleForm {
	if f == loadGenForm {
		return products.LoadGen
	}
	return products.Endpoints
}

// maxTokens is the endpoints harness's limit of tokens per answer.
const maxTokens = 150

// requestFields returns the fields of a request in a scenario, without the model and the messages. The program over
// LoadGen sends unset fields as null. The harness requests streamed answers in Server. In addition, this function
// requests the number of tokens from the server.
func (f requestForm) requestFields(s loadgen.Scenario) map[string]json.RawMessage {
	if f == loadGenForm {
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

// maxNewTokens returns the limit of tokens per answer; 0: the server's limit.
func (f requestForm) maxNewTokens() int {
	if f == loadGenForm {
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

// readSettings reads all parameters. Prompts that the user names determine which defaults apply.
func readSettings(r *manifest.Request) (s chatSettings) {
	r.DefaultsOf("prompts")
	read := readPromptWords
	if r.Scoring {
		read = func(string) (promptWords, error) { return promptWords{}, nil }
	}
	r.Bind(&s, option.ReaderFunc("prompts", read))
	return s
}

// promptWords contains the texts of prompts.
type promptWords struct {
	system    string
	userParts [4]string // texts before, between and after the title, the description and the categories
	embedded  bool      // texts are the embedded ones
	systemSum string    // digest of system in lower-case hex
}

//go:embed words/system.txt
var embeddedSystem string

//go:embed words/user.txt
var embeddedUser string

// Names of the files of prompts, and the placeholders in them.
const (
	systemFile = "system.txt"
	userFile   = "user.txt"
)

var placeholders = [3]string{"{title}", "{description}", "{categories}"}

// readPromptWords reads a folder of prompts.
func readPromptWords(path string) (promptWords, error) {
	switch path {
	case manifest.Embedded:
		w, err := newPromptWords(embeddedSystem, embeddedUser)
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
	return newPromptWords(system, user)
}

// maxTextBytes limits the size of a file of prompts.
const maxTextBytes = 1 << 20

func readText(path string) (string, error) {
	text, err := bounded.ReadFile(path, maxTextBytes)
	if errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("%w: want a folder with %s and %s", err, systemFile, userFile)
	}
	return string(text), err
}

// newPromptWords splits the user's text at the placeholders.
func newPromptWords(system, user string) (promptWords, error) {
	w := promptWords{system: system, systemSum: fmt.Sprintf("%x", sha256.Sum256([]byte(system)))}
	rest := user
	for i, place := range placeholders {
		before, after, found := strings.Cut(rest, place)
		if !found {
			return w, fmt.Errorf("%s has no %s behind %q: it has to have %s, in this order", userFile, place,
				strings.Join(placeholders[:i], ", "), strings.Join(placeholders[:], ", "))
		}
		w.userParts[i], rest = before, after
	}
	w.userParts[3] = rest
	return w, nil
}

// officialSums contains the digests of the system texts that the two programs send.
var officialSums = map[requestForm]string{
	loadGenForm:   "0d1878a7ddab0ca73999e3b7db2e0b8aaa74069f1bcc4c4f8a49201b82151c48",
	endpointsForm: "2ff8c5d5405714082f8082a3322f6faeddf49149498bd41e692ccc29725722b3",
}

// userMessage returns the user's message.
func (w *promptWords) userMessage(title, description, categories string) string {
	return w.userParts[0] + title + w.userParts[1] + description + w.userParts[2] + categories + w.userParts[3]
}

// splitMessage extracts the title and the categories from a message. ok is false for other messages.
func (w *promptWords) splitMessage(text string) (title, categories string, ok bool) {
	rest, ok := strings.CutPrefix(text, w.userParts[0])
	end := strings.LastIndex(rest, w.userParts[2])
	at := strings.Index(rest, w.userParts[1])
	if !ok || at < 0 || end < at {
		return "", "", false
	}
	return rest[:at], rest[end+len(w.userParts[2]):], true
}
