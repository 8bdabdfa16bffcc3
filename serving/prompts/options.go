package prompts

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// The errors that this package returns, for use with errors.Is.
var (
	// ErrOptions marks options that are invalid for all data.
	ErrOptions = errors.New("impossible requests")
	// ErrData marks a file that is unreadable or has faults.
	ErrData = errors.New("data")
)

// PromptOptions determines the requests, in the form of the command line's options. An empty field means that the
// option was not given.
type PromptOptions struct {
	// File is the path of the data. If it is empty, prompts are generated with the lengths in ISL.
	File string
	// Format is one of Formats; empty: determined by the file's name and content.
	Format string
	// Columns contains FIELD=COLUMN pairs, which assign columns of the data to fields.
	Columns []string
	// API is the endpoint of the server's API; empty or auto: determined by the data.
	API API
	// Turns is "first" (the default), or "all" to send all turns of sessions.
	Turns string
	// History is "recorded" (the default) or "own": turns follow the answers in the data, or the server's own.
	History string

	// ISL and OSL are the lengths of prompts and answers in tokens: see ParseLengths.
	ISL, OSL string
	// Vocabulary is A..B, both included: the ids from which prompts are generated.
	Vocabulary string
	// Tokenizer is the model's tokenizer; nil: none.
	Tokenizer Tokenizer
	// Overhead is the number of tokens that a chat template adds to a prompt.
	Overhead int
	// Prefix is SHARE/N: this share of each prompt is one of N prefixes.
	Prefix string
	// Block is the number of tokens per entry of hash_ids; 0: 512.
	Block int
	// Order is one of Orders; empty: shuffled, by Seed. OrderSeed is the seed of the last two orders, 0 to 2^64 - 1;
	// empty: 42, as in MLPerf Endpoints' client.
	Order, OrderSeed string
	// SaltSeed is the seed of the salts, 0 to 2^64 - 1. A salt precedes the user's part of each prompt. Empty: no salts.
	SaltSeed string
	// SaltAfter is the text that begins the user's part of prompts of token ids. The salt, in tokens of Tokenizer, follows
	// it. If it is empty, such prompts cannot have salts.
	SaltAfter string
	// PreferIDs uses the token ids of rows that also have a text.
	PreferIDs bool
	// Image is WIDTHxHEIGHT or WIDTHxHEIGHTxN: size and number of pictures in each request.
	Image string

	// Form completes prompts of which a column contains only a part; nil: prompts are taken from rows unchanged.
	Form *PromptForm
	// Keep names columns whose values PromptSet.Value returns; not with Turns all.
	Keep []string
	// MaxTokens is the maximum number of tokens of answers whose length neither a row nor OSL determines; 0: the server's
	// own limit.
	MaxTokens int

	// Body contains KEY=JSON pairs: fields of each request. Fields of a row override them.
	Body []string
	// Header contains NAME=VALUE pairs: header fields of each request.
	Header []string
	// LoRA contains names of adapters, for rows without one. LoRAOrder is "turns" (the default) or "zipf:S" with S above
	// 0.
	LoRA      []string
	LoRAOrder string
	// Tools is a file with the tools for chats without their own.
	Tools string

	// Most is the maximum size of all prompts in memory, in bytes; 0: 4 GiB.
	Most int64
	// Seed determines the order of rows and all random draws.
	Seed uint64
	// Table opens table files, such as Parquet; nil: unsupported.
	Table func(path string) (Table, error)
}

// PromptForm makes a prompt from a column. Rows with their own prompt keep it.
type PromptForm struct {
	Column string
	Text   string                     // {} marks the position of the column's text
	Fields map[string]json.RawMessage // fields of the requests with such prompts; fields of a row override them
}

// Table is a file with named columns.
type Table interface {
	// Rows returns the rows in order. Each is a JSON object with the columns for which want returns true, valid until the
	// next row. The first error ends the rows. want is called for all columns before the first row.
	Rows(want func(column string) bool) iter.Seq2[json.RawMessage, error]
	Close() error
}

// Tokenizer converts text to ids of the model's vocabulary and back. It must be safe for concurrent use.
type Tokenizer interface {
	// EncodePlain appends the ids of a text to dst, without special tokens around it.
	EncodePlain(dst []int32, text string) []int32
	// Decode returns the text of ids, without special tokens. It fails for ids outside the vocabulary.
	Decode(ids []int32) (string, error)
	// Size returns one more than the largest id.
	Size() int
}

// Formats returns the names of the file formats.
func Formats() []string {
	return []string{"jsonl", "json", "csv", "tsv", "text", "parquet", "sharegpt", "batch", "trace"}
}

// APIs returns the names of the endpoints.
func APIs() []API { return []API{Chat, Completions, Responses, Embeddings, Rerank} }

// parsedOptions contains the parsed options.
type parsedOptions struct {
	PromptOptions
	columns    map[columnField]string
	lengths    LengthPairs
	vocabulary idRange
	prefix     sharedPrefix
	image      pictureSize
	body       map[string]json.RawMessage
	header     map[string]string
	zipf       float64 // exponent of Zipf's law; 0: adapters take turns
	tools      json.RawMessage
	sessions   bool
	own        bool
	orderSeed  uint64
	salted     bool
	saltSeed   uint64
}

// CheckOptions returns an ErrOptions error that lists all options that are invalid for all data.
func (o PromptOptions) CheckOptions() error {
	_, err := o.parseOptions()
	return err
}

// parseOptions parses the options. The error lists all faults.
func (o PromptOptions) parseOptions() (*parsedOptions, error) {
	a := &parsedOptions{PromptOptions: o, sessions: o.Turns == "all", own: o.History == "own"}
	var faults []error
	check := func(err error) {
		if err != nil {
			faults = append(faults, err)
		}
	}
	check(checkChoice("--api", string(o.API), append([]string{"auto"}, toTexts(APIs())...)...))
	check(checkChoice("--format", o.Format, Formats()...))
	check(checkChoice("--turns", o.Turns, "first", "all"))
	check(checkChoice("--history", o.History, "recorded", "own"))
	check(parseInto(&a.columns, readColumns, o.Columns))
	check(parseInto(&a.vocabulary, readVocabulary, o.Vocabulary))
	check(parseInto(&a.prefix, readPrefix, o.Prefix))
	check(parseInto(&a.image, readPicture, o.Image))
	check(parseInto(&a.body, readBody, o.Body))
	check(parseInto(&a.header, readHeader, o.Header))
	check(parseInto(&a.zipf, readOrder, o.LoRAOrder))
	check(parseInto(&a.tools, readTools, o.Tools))
	check(checkChoice("--order", o.Order, Orders()...))
	given, err := readSeed("--order-seed", &a.orderSeed, o.OrderSeed)
	if check(err); !given {
		a.orderSeed = defaultOrderSeed
	}
	a.salted, err = readSeed("--salt-seed", &a.saltSeed, o.SaltSeed)
	check(err)
	a.lengths, err = ParseLengths(o.ISL, o.OSL)
	check(err)
	if o.Block < 0 {
		check(fmt.Errorf("--block %d: want a number of tokens above 0", o.Block))
	}
	for _, fault := range slices.Concat(a.findContradictions(), a.checkOfficial(), a.listFileOptions()) {
		check(fault)
	}
	if len(faults) > 0 {
		return nil, fmt.Errorf("%w: %w", ErrOptions, errors.Join(faults...))
	}
	if o.API == "auto" {
		a.API = ""
	}
	if o.Block == 0 {
		a.Block = 512
	}
	if o.Most <= 0 {
		a.Most = maxKept
	}
	return a, nil
}

// parseInto sets value to the result of read.
func parseInto[T, V any](value *V, read func(T) (V, error), text T) (err error) {
	*value, err = read(text)
	return err
}

// findContradictions lists options that cannot be combined.
func (a *parsedOptions) findContradictions() []error {
	var faults []error
	if a.own && !a.sessions {
		faults = append(faults, errors.New("--history own needs --turns all"))
	}
	if len(a.LoRA) == 0 && a.LoRAOrder != "" {
		faults = append(faults, errors.New("--lora-order needs --lora NAME,... as well"))
	}
	if a.File != "" && a.ISL != "" && !a.lengths.traceIn {
		faults = append(faults, fmt.Errorf("--isl %s makes prompts, and --data %s has them: give one of them; --isl trace "+
			"takes the lengths of the file", a.ISL, a.File))
	}
	return faults
}

// listFileOptions lists options that require a file if there is none.
func (a *parsedOptions) listFileOptions() []error {
	if a.File != "" {
		return nil
	}
	var faults []error
	switch {
	case a.ISL == "":
		faults = append(faults, errors.New("nothing to ask: give --isl N for prompts of that length, or --data FILE"))
	case a.lengths.traceIn || a.lengths.traceOut:
		faults = append(faults, errors.New("the lengths \"trace\" come from a file: add --data FILE"))
	}
	for _, flag := range [][2]string{{"--format", a.Format}, {"--turns", a.Turns}, {"--history", a.History}} {
		if flag[1] != "" {
			faults = append(faults, fmt.Errorf("%s %s needs --data FILE", flag[0], flag[1]))
		}
	}
	return faults
}

func checkChoice(flag, value string, choices ...string) error {
	if value == "" || slices.Contains(choices, value) {
		return nil
	}
	return fmt.Errorf("%s %q: want one of %s", flag, value, strings.Join(choices, ", "))
}

func toTexts[T ~string](names []T) []string {
	texts := make([]string, len(names))
	for i, n := range names {
		texts[i] = string(n)
	}
	return texts
}

// idRange contains the ids from first to last, both included. The zero value is empty.
type idRange struct{ first, last int32 }

func (s idRange) size() int {
	if s == (idRange{}) {
		return 0
	}
	return int(s.last-s.first) + 1
}

// minVocabulary is the minimum number of ids in a vocabulary, because the first two ids distinguish prompts.
const minVocabulary = 16

func readVocabulary(text string) (idRange, error) {
	if text == "" {
		return idRange{}, nil
	}
	from, to, ok := strings.Cut(text, "..")
	first, err1 := strconv.ParseInt(from, 10, 32)
	last, err2 := strconv.ParseInt(to, 10, 32)
	if !ok || err1 != nil || err2 != nil || first < 0 || last-first+1 < minVocabulary {
		return idRange{}, fmt.Errorf("--vocabulary %s: want FIRST..LAST, %d ids or more without special tokens, as "+
			"1000..31999",
			text, minVocabulary)
	}
	return idRange{int32(first), int32(last)}, nil
}

func readBody(pairs []string) (map[string]json.RawMessage, error) {
	var body map[string]json.RawMessage
	for _, p := range pairs {
		key, value, ok := strings.Cut(p, "=")
		if !ok || key == "" || !json.Valid([]byte(value)) {
			return nil, fmt.Errorf(`--body %s: want KEY=JSON, as temperature=0.5 or stop=["\n"] or user="me"`, p)
		}
		if body == nil {
			body = map[string]json.RawMessage{}
		}
		body[key] = json.RawMessage(value)
	}
	return body, nil
}

func readHeader(pairs []string) (map[string]string, error) {
	var header map[string]string
	for _, p := range pairs {
		name, value, ok := strings.Cut(p, "=")
		if !ok || name == "" || strings.ContainsAny(p, "\r\n") {
			return nil, fmt.Errorf("--header %q: want NAME=VALUE", p)
		}
		if header == nil {
			header = map[string]string{}
		}
		header[name] = value
	}
	return header, nil
}
