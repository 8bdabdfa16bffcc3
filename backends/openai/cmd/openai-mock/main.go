// Command openai-mock is a server without a model, for measurements: it streams tokens that depend on the prompt alone.
package main

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/backends/openai/openaitest"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var o openaitest.Options
	address := flag.String("listen", "localhost:8000", "address to listen at; port 0 chooses one")
	flag.StringVar(&o.Model, "model", "mock", "the model's name")
	flag.StringVar(&o.Alias, "alias", "", "a second name of the model: the node's, in the network division")
	flag.StringVar(&o.Owner, "owner", "vllm", "what the server says of itself: vllm, sglang, ...")
	flag.DurationVar(&o.First, "first", 0, "time to the first token")
	flag.DurationVar(&o.Step, "step", 0, "time between two tokens; 0 sends an answer in one piece")
	flag.IntVar(&o.Together, "together", 1, "tokens in each event")
	flag.IntVar(&o.Vocabulary, "vocabulary", 0, "token ids are below; 0: 32000")
	flag.IntVar(&o.Tokens, "tokens", 0, "tokens of each answer at most; 0: what is asked for")
	flag.Func("says", "the `IDS` of each answer's tokens, with commas", func(text string) error {
		for word := range strings.SplitSeq(text, ",") {
			id, err := strconv.ParseInt(word, 10, 32)
			if err != nil {
				return err
			}
			o.Says = append(o.Says, int32(id))
		}
		return nil
	})
	flag.BoolVar(&o.IDs, "ids", true, "report token ids where they are asked for")
	flag.BoolVar(&o.NoUsage, "no-usage", false, "report no usage")
	transcript := flag.String("transcript", "", "what is said in every sound: the server transcribes")
	flag.Parse()
	if *transcript != "" {
		o.Transcribe = func([]byte) (string, int) { return *transcript, len(strings.Fields(*transcript)) + 1 }
	}
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/v1\n", listener.Addr())
	server := &http.Server{Handler: openaitest.New(o), ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(listener)
}
