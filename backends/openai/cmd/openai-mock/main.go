// Command openai-mock is a server without a model, for measurements. It streams tokens that depend only on the prompt,
// at known times, and fails on request.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() (err error) {
	var o openaitest.Options
	address := flag.String("listen", "localhost:8000", "address to listen at; port 0 chooses one")
	addIdentityFlags(&o)
	addPaceFlags(&o)
	addAnswerFlags(&o)
	mix := flag.String("fail", "", "`SHARES` of requests that fail: 429=5%,500=1%,cut=1%,error=1%,stall=1%,empty=1%")
	seed := flag.Uint64("seed", 1, "which requests fail")
	transcript := flag.String("transcript", "", "what is said in every sound: the server transcribes")
	log := flag.String("log", "", "`FILE` that gets a line of JSON for each answer: when it was asked for, and when its "+
		"tokens were written")
	flag.Parse()
	if *transcript != "" {
		o.Transcribe = func([]byte) (string, int) { return *transcript, len(strings.Fields(*transcript)) + 1 }
	}
	if *mix != "" {
		if o.Fault, err = openaitest.ReadMix(*mix, *seed); err != nil {
			return fmt.Errorf("-fail: %w", err)
		}
	}
	if *log != "" {
		file, err := os.Create(*log)
		if err != nil {
			return fmt.Errorf("-log: %w", err)
		}
		defer file.Close() // each line is written immediately
		o.Log = file
	}
	return serveUntilSignal(*address, openaitest.New(o))
}

// serveUntilSignal serves requests until the process receives a signal.
func serveUntilSignal(address string, handler http.Handler) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/v1\n", listener.Addr())
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() }) // Serve returns the result
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// addIdentityFlags adds the flags for the server's description of itself.
func addIdentityFlags(o *openaitest.Options) {
	flag.StringVar(&o.Model, "model", "mock", "the model's name")
	flag.StringVar(&o.Alias, "alias", "", "a second name of the model: the node's, in the network division")
	flag.Func("loras", "`NAMES` of adapters, with commas", func(text string) error {
		o.Loras = strings.Split(text, ",")
		return nil
	})
	flag.StringVar(&o.Owner, "owner", "vllm", "what the server says of itself: vllm, sglang, ...")
	flag.StringVar(&o.Version, "version", "", "of the server's program, at /version")
	flag.StringVar(&o.Key, "key", "", "the API key that requests must have")
	flag.IntVar(&o.MaxLength, "max-length", 0, "most tokens of a prompt and its answer; 0: any")
	flag.IntVar(&o.Vocabulary, "vocabulary", 0, "token ids are below; 0: 32000")
}

// addPaceFlags adds the flags for the server's timing.
func addPaceFlags(o *openaitest.Options) {
	flag.DurationVar(&o.First, "first", 0, "time to the first token")
	flag.DurationVar(&o.Step, "step", 0, "time between two tokens; 0 sends an answer in one piece")
	flag.DurationVar(&o.Prefill, "prefill", 0, "time for each token of a prompt, beside -first")
	flag.DurationVar(&o.Grow, "grow", 0, "what each other request under way adds to the time between two tokens")
	flag.IntVar(&o.Slots, "slots", 0, "requests that are worked on at a time, others wait; 0: all")
	flag.DurationVar(&o.UsageDelay, "late", 0, "from the last token to the usage record")
	flag.BoolVar(&o.Caches, "cache", false, "keep prompts: what a prompt has in common with one before takes no time")
}

// addAnswerFlags adds the flags for the server's answers.
func addAnswerFlags(o *openaitest.Options) {
	flag.IntVar(&o.TokensPerEvent, "together", 1, "tokens in each event")
	flag.IntVar(&o.Tokens, "tokens", 0, "tokens of each answer at most; 0: what is asked for")
	flag.IntVar(&o.EndsAt, "ends-at", 0, "tokens after which answers end by themselves, but with ignore_eos; 0: none")
	flag.IntVar(&o.Extra, "extra", 0, "tokens beyond what is asked for")
	flag.Func("says", "the `IDS` of each answer's tokens, with commas", func(text string) error {
		for word := range strings.SplitSeq(text, ",") {
			id, err := strconv.ParseInt(word, 10, 32)
			if err != nil {
				return err
			}
			o.AnswerTokens = append(o.AnswerTokens, int32(id))
		}
		return nil
	})
	flag.Func("answers", "`FILE` of JSON lines of prompt, ids and texts: answers to these", func(path string) error {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		script, err := openaitest.ReadScript(file)
		if err == nil {
			script.Configure(o)
		}
		return err
	})
	flag.BoolVar(&o.Repeats, "repeats", false, "events of /generate have all tokens so far, in place of the new ones")
	flag.IntVar(&o.ReasoningTokens, "think", 0, "tokens of reasoning with which chats and responses begin")
	flag.StringVar(&o.Call, "call", "", "`NAME` of the tool that is called by requests with tools")
	flag.IntVar(&o.Template, "template", 0, "tokens that a chat's template adds to a prompt")
	flag.BoolVar(&o.IDs, "ids", true, "report token ids where they are asked for")
	flag.BoolVar(&o.NoUsage, "no-usage", false, "report no usage")
	flag.BoolVar(&o.ReportsCached, "tells-cached", false, "report cached tokens of prompts; without -cache there are none")
	flag.BoolVar(&o.Roles, "roles", false, "begin chats with an event that has the role alone, before any token")
	flag.BoolVar(&o.Comments, "comments", false, "send a comment before each event")
	flag.BoolVar(&o.NoStream, "no-stream", false, "answer in one piece, whatever is asked")
	flag.BoolVar(&o.TimestampText, "stamps", false,
		"the text of each event is the time at which it is written, in ns since 1970")
}
